import { z } from 'zod'
import * as vocabulary from './index.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Every validator of this package as one JSON Schema document. `NAME.input` is there where what may come in differs. */
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

/** An export is a validator, or a table of them by name; anything else has no schema. */
function validators(name: string, value: unknown): [string, z.ZodType][] {
  if (value instanceof z.ZodType) return [[name, value]]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
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

/** Zod closes every plain object on output; ours may grow, so only those that refuse unknown fields stay closed. */
export function openObjects({
  zodSchema,
  jsonSchema,
}: {
  zodSchema: z.core.$ZodTypes
  jsonSchema: z.core.JSONSchema.BaseSchema
}) {
  const { def } = zodSchema._zod
  if (def.type === 'object' && def.catchall === undefined) delete jsonSchema.additionalProperties
}
