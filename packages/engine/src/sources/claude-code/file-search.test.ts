import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempProjects } from './claude-code.test-kit.ts'
import { Holders } from './originals.ts'

const fileOf = (path: string) => ({ path, size: statSync(path).size })

it('searches only what was appended, including words across the border', async () => {
  const path = join(tempProjects(), 'f')
  const holders = new Holders()
  const has = () => holders.has(fileOf(path), 'words')
  writeFileSync(path, `${'-'.repeat(100)}wo`)
  expect(await has()).toBe(false)
  // Transcripts only grow. A match written into the searched part shows that it is not searched again.
  writeFileSync(path, `words${'-'.repeat(95)}wo`)
  expect(await has()).toBe(false)
  appendFileSync(path, 'rds')
  expect(await has()).toBe(true)
  writeFileSync(path, '-'.repeat(200))
  expect(await has()).toBe(true)
  expect(await holders.has(fileOf(path), 'other words')).toBe(false)
})

it('searches a file again that it did not search to the end', async () => {
  const path = join(tempProjects(), 'f')
  const holders = new Holders()
  writeFileSync(path, 'some words')
  const stop = AbortSignal.abort()
  expect(await holders.has(fileOf(path), 'words', stop)).toBe(false)
  expect(await holders.has(fileOf(path), 'words')).toBe(true)
  expect(await holders.has({ path: join(path, 'none'), size: 9 }, 'words')).toBe(false)
})
