import { z } from 'zod'
import { openObjects } from './json-schema.ts'
import { traceAggregator, traceRecord, traceReference } from './moa.ts'

/** The keys that every line has, also one that Hermes wrote; all others are ours. */
const REQUIRED = {
  record: ['ts', 'session_id', 'preset', 'references', 'aggregator'],
  reference: [
    'label',
    'model',
    'provider',
    'temperature',
    'input_messages',
    'output',
    'usage',
    'cost_usd',
    'cost_status',
    'cost_source',
  ],
  aggregator: [
    'label',
    'model',
    'provider',
    'temperature',
    'input_messages',
    'output',
    'streamed',
    'output_location',
  ],
} as const

/** One line of a trace as a JSON Schema for other programs. */
export function traceSchemaDocument(): Readonly<Record<string, unknown>> {
  const record = z.looseObject({
    ...onlyRequired(traceRecord.shape, REQUIRED.record),
    references: z.array(z.looseObject(onlyRequired(traceReference.shape, REQUIRED.reference))),
    aggregator: z.looseObject(onlyRequired(traceAggregator.shape, REQUIRED.aggregator)),
  })
  const { $schema, ...schema } = z.toJSONSchema(record, { override: openObjects })
  return {
    $schema,
    title: 'A line of a MoA trace',
    description:
      'One call of a turn of several models: with references where they were asked for it, without where it is a further call of the acting model. Unknown keys are allowed.',
    ...schema,
  }
}

function onlyRequired(shape: z.ZodRawShape, required: readonly string[]): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([key, value]) => [
      key,
      required.includes(key) ? value : z.optional(value as z.ZodType),
    ]),
  )
}
