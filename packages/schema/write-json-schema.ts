import { mkdirSync, writeFileSync } from 'node:fs'
import { jsonSchemaDocument } from './src/json-schema.ts'

const folder = new URL('../../docs/schema/', import.meta.url)
mkdirSync(folder, { recursive: true })
writeFileSync(new URL('panoptes.schema.json', folder), `${JSON.stringify(jsonSchemaDocument(), null, 2)}\n`)
