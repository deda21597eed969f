import { mkdirSync, writeFileSync } from 'node:fs'
import { jsonSchemaDocument, traceSchemaDocument } from './src/trace-schema.ts'

const folder = new URL('../../docs/schema/', import.meta.url)
mkdirSync(folder, { recursive: true })
const documents = {
  'panoptes.schema.json': jsonSchemaDocument(),
  'moa-trace.schema.json': traceSchemaDocument(),
}
for (const [name, document] of Object.entries(documents))
  writeFileSync(new URL(name, folder), `${JSON.stringify(document, null, 2)}\n`)
