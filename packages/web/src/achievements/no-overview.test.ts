import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

it('never requests an /overview route anywhere on the page', () => {
  const root = join(import.meta.dirname, '..')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !name.includes('.test'),
  )
  expect(sources.length).toBeGreaterThan(50)
  const asking = sources.filter((name) => readFileSync(join(root, name), 'utf8').includes('/overview'))
  expect(asking).toEqual([])
})
