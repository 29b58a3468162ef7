// Answers documents of DMN: a line of JSON on standard input has a `file` and `deals`, the values
// of its input data by name, dates as texts; a line of output has every decision of each deal.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { DmnModdle } from 'dmn-moddle';
import { evaluate, unaryTest } from 'feelin';

const moddle = new DmnModdle();

// feelin reads a text as a date where FEEL says so.
const asDate = (text) => evaluate(`date("${text}")`).value;

async function read(file) {
  const { rootElement, warnings } = await moddle.fromXML(readFileSync(file, 'utf8'), 'dmn:Definitions');
  if (warnings.length) throw new Error(`${file}: ${warnings.map((warning) => warning.message).join('; ')}`);
  return rootElement;
}

function tableAnswer(table, values) {
  const rows = (table.rule ?? []).filter((rule) =>
    table.input.every((input, place) => {
      const value = evaluate(input.inputExpression.text, values).value;
      return unaryTest(rule.inputEntry[place].text, { ...values, '?': value }).value === true;
    }),
  );
  const said = rows.map((rule) =>
    Object.fromEntries(table.output.map((output, place) => [output.name, evaluate(rule.outputEntry[place].text, values).value])),
  );
  if (table.hitPolicy !== 'ANY') throw new Error(table.hitPolicy);
  const first = JSON.stringify(said[0]);
  if (said.some((answer) => JSON.stringify(answer) !== first)) return 'several answers';
  return said[0] ?? null;
}

function answers(definitions, deal) {
  const elements = definitions.drgElement;
  const types = Object.fromEntries((definitions.itemDefinition ?? []).map((type) => [type.name, type.typeRef]));
  const values = {};
  for (const data of elements.filter((element) => element.$type === 'dmn:InputData')) {
    const value = deal[data.name] ?? null;
    values[data.name] = value !== null && types[data.variable.typeRef] === 'date' ? asDate(value) : value;
  }
  // Decisions stand after what they require, as holdback writes them; a requirement that does not is an error.
  const known = new Set(elements.filter((element) => element.$type === 'dmn:InputData').map((element) => `#${element.id}`));
  const said = {};
  for (const decision of elements.filter((element) => element.$type === 'dmn:Decision')) {
    for (const { requiredInput, requiredDecision } of decision.informationRequirement ?? []) {
      const { href } = requiredInput ?? requiredDecision;
      if (!known.has(href)) throw new Error(`${decision.id} requires ${href}, which is not there`);
    }
    const logic = decision.decisionLogic;
    said[decision.id] = logic.$type === 'dmn:DecisionTable' ? tableAnswer(logic, values) : evaluate(logic.text, values).value;
    values[decision.variable.name] = said[decision.id];
    known.add(`#${decision.id}`);
  }
  return said;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, deals } = JSON.parse(line);
  const definitions = await read(file);
  console.log(JSON.stringify(deals.map((deal) => answers(definitions, deal))));
}
