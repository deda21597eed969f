import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { traceSchemaDocument } from './trace-schema.ts'

const written = JSON.parse(
  readFileSync(new URL('../../../docs/schema/moa-trace.schema.json', import.meta.url), 'utf8'),
) as Published

interface Published {
  readonly required: readonly string[]
  readonly properties: {
    readonly references: { readonly items: { readonly required: readonly string[] } }
    readonly aggregator: { readonly required: readonly string[] }
  }
}

describe('JSON Schema of a trace line', () => {
  it('in docs/schema is up to date; `npm run schema` writes it', () => {
    expect(written).toEqual(JSON.parse(JSON.stringify(traceSchemaDocument())))
  })

  it('requires the keys of the first format and no others', () => {
    const { required, properties } = written
    expect(required).toEqual(['ts', 'session_id', 'preset', 'references', 'aggregator'])
    expect(properties.references.items.required).toEqual(
      'label model provider temperature input_messages output usage cost_usd cost_status cost_source'.split(
        ' ',
      ),
    )
    expect(properties.aggregator.required).toEqual(
      'label model provider temperature input_messages output streamed output_location'.split(' '),
    )
  })
})
