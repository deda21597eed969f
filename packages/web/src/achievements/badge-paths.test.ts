import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { badgePath } from './badge-paths.ts'

/** The page may not import the engine, so the names are read as text. */
const folder = new URL('../../../engine/src/achievements/catalogue/', import.meta.url)
const catalogue = readdirSync(folder)
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join()
const icons = new Set([...catalogue.matchAll(/icon: '(\w+)'/g)].map(([, name]) => name ?? ''))

it('draws a distinct badge for every icon of the catalogue', () => {
  expect(icons.size).toBeGreaterThan(40)
  const other = badgePath('a name of a later catalogue')
  const drawn = [...icons].map(badgePath)
  expect(drawn).not.toContain(other)
  expect(new Set(drawn).size).toBe(icons.size)
})
