import { z } from 'zod'
import * as vocabulary from './index.ts'
import { traceAggregator, traceRecord, traceReference } from './moa.ts'
import { isPlainObject } from './plain-object.ts'

/** The keys that every line has, including those that Hermes wrote; all other keys are ours. */
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
    ...makeOptionalExcept(traceRecord.shape, REQUIRED.record),
    references: z.array(z.looseObject(makeOptionalExcept(traceReference.shape, REQUIRED.reference))),
    aggregator: z.looseObject(makeOptionalExcept(traceAggregator.shape, REQUIRED.aggregator)),
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

function makeOptionalExcept(shape: z.ZodRawShape, required: readonly string[]): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(shape).map(([key, value]) => [
      key,
      required.includes(key) ? value : z.optional(value as z.ZodType),
    ]),
  )
}

type JsonSchema = Readonly<Record<string, unknown>>

/**
 * Every validator of this package as one JSON Schema document. `NAME.input` is included if the
 * accepted input differs.
 */
export function jsonSchemaDocument(): JsonSchema {
  const named = Object.entries(vocabulary).flatMap(([name, value]) => validators(name, value))
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Panoptes',
    description:
      'Events, sessions and wire contracts. Unknown fields are allowed unless a definition forbids them.',
    $defs: Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(definitions)),
  }
}

/** An export may be a validator or a table of validators by name; anything else has no schema. */
function validators(name: string, value: unknown): [string, z.ZodType][] {
  if (value instanceof z.ZodType) return [[name, value]]
  if (!isPlainObject(value)) return []
  return Object.entries(value).flatMap(([kind, each]) => validators(`${name}.${kind}`, each))
}

function definitions([name, schema]: [string, z.ZodType]): [string, JsonSchema][] {
  const output = convert(schema, 'output')
  const input = convert(schema, 'input')
  if (JSON.stringify(output) === JSON.stringify(input)) return [[name, output]]
  return [
    [name, output],
    [`${name}.input`, input],
  ]
}

function convert(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: openObjects,
  })
  return converted
}

/** Zod closes every plain object on output. Ours may grow, so only strict ones stay closed. */
function openObjects({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: z.core.JSONSchema.BaseSchema
}) {
  const { def } = zodSchema._zod
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties
}
