import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { fetchCatalogue, readCatalogue } from './catalogue.ts'
import { createPrices } from './prices.ts'

const usage = {
  input: 1_000_000,
  output: 0,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
}
const listing = JSON.stringify([
  {
    id: 'acme',
    name: 'Acme',
    api_pattern: 'https://acme[.]example',
    model_match: { starts_with: 'acme-' },
    models: [{ id: 'acme-1', match: { equals: 'acme-1' }, prices: { input_mtok: 7, output_mtok: 9 } }],
  },
])

it('downloads a newer price catalogue and rejects anything else', async () => {
  const server = createServer((request, reply) => {
    if (request.url === '/list') reply.end(listing)
    else if (request.url === '/page') reply.end('<html>')
    else reply.writeHead(500).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await fetchCatalogue(`${at}/page`)).toMatchObject({ ok: false })
  expect(await fetchCatalogue(`${at}/none`)).toMatchObject({ ok: false, code: 'io' })
  expect(await fetchCatalogue(`${at}/list`)).toEqual({ ok: true, value: listing })
})

it('uses the catalogue stored in a home, and the bundled one without it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-prices-'))
  const none = join(folder, 'none.json')
  onTestFinished(() => {
    readCatalogue(none)
    rmSync(folder, { recursive: true })
  })
  expect(readCatalogue(none)).toBe(false)
  const mark = createPrices().markOf('acme-1')
  expect(createPrices().costOf('acme-1', usage, null)).toBeNull()
  const file = join(folder, 'prices.json')
  writeFileSync(file, listing)
  expect(readCatalogue(file)).toBe(true)
  const after = createPrices()
  expect(after.costOf('acme-1', usage, null)).toBe(7_000_000)
  expect(after.markOf('acme-1')).not.toBe(mark)
  writeFileSync(file, listing.replace('"input_mtok":7', '"input_mtok":8'))
  expect(readCatalogue(file)).toBe(true)
  expect(createPrices().costOf('acme-1', usage, null)).toBe(8_000_000)
  writeFileSync(file, '[{}]')
  expect(readCatalogue(file)).toBe(false)
  expect(createPrices().costOf('acme-1', usage, null)).toBeNull()
  expect(createPrices().costOf('claude-opus-4-8', usage, null)).toBe(5_000_000)
})
