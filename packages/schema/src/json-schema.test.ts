import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EVENT_KINDS } from './index.ts'
import { jsonSchemaDocument } from './trace-schema.ts'

const written = JSON.parse(
  readFileSync(new URL('../../../docs/schema/panoptes.schema.json', import.meta.url), 'utf8'),
) as unknown

describe('published JSON Schema', () => {
  it('in docs/schema is up to date; `npm run schema` writes it', () => {
    expect(written).toEqual(JSON.parse(JSON.stringify(jsonSchemaDocument())))
  })

  it('contains every kind of event, stored and as input', () => {
    const { $defs } = jsonSchemaDocument() as { $defs: Record<string, unknown> }
    for (const kind of EVENT_KINDS) {
      expect($defs[`storedEvents.${kind}`]).toMatchObject({ properties: { event: { const: kind } } })
      expect($defs[`eventInputs.${kind}.input`]).toMatchObject({ required: ['event'] })
    }
  })

  it('allows unknown fields in events and forbids them where they are rejected', () => {
    const { $defs } = jsonSchemaDocument() as { $defs: Record<string, { additionalProperties?: unknown }> }
    expect($defs['storedEvents.tool_use']?.additionalProperties).not.toBe(false)
    expect($defs.counters?.additionalProperties).toBeUndefined()
    expect($defs['config.input']?.additionalProperties).toBe(false)
  })
})
