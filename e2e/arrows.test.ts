import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './command.ts'
import { reach } from './reach.ts'

const SHARED = [
  'schema',
  'engine/threads',
  'engine/waiting',
  'engine/ledger',
  'engine/home',
  'engine/redact',
  'engine/sources',
  'engine/models',
  'engine/stated',
  'engine/intervals',
  'engine/command',
  'engine/otlp',
  'engine/skill-folders',
]
/** What a room may use beyond the shared ones. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  moa: ['engine/templates'],
  chat: ['engine/moa', 'engine/templates'],
}
const WORKSPACES = ['schema', 'engine', 'server', 'cli', 'web']
const rooms = readdirSync(join(ROOT, 'packages', 'engine', 'src'))

const workspaceOf = (name: string): string => name.split('/')[0] ?? name
const workspaces = (reached: ReadonlySet<string>) =>
  [...new Set([...reached].map(workspaceOf))].filter((name) => WORKSPACES.includes(name)).sort()
const packages = (reached: ReadonlySet<string>) =>
  [...reached].filter((name) => name.startsWith('npm:')).map((name) => name.slice(4))
const entry = (path: string) => reach(join(ROOT, 'packages', path))

describe('the arrows between packages', () => {
  it('schema reaches nothing but the validator', async () => {
    const reached = await entry('schema/src/index.ts')
    expect([...reached].sort()).toEqual(['npm:zod', 'schema'])
  })

  it('server reaches engine and schema', async () => {
    const reached = await entry('server/src/index.ts')
    expect(workspaces(reached)).toEqual(['engine', 'schema', 'server'])
  })

  it('the command reaches everything but the page', async () => {
    const reached = await entry('cli/src/main.ts')
    expect(workspaces(reached)).toEqual(['cli', 'engine', 'schema', 'server'])
    expect(packages(reached)).not.toContain('react')
  })

  it('the page reaches schema alone, and nothing of Node', async () => {
    const reached = await entry('web/src/main.tsx')
    expect(workspaces(reached)).toEqual(['schema', 'web'])
    expect([...reached].filter((name) => name.startsWith('node:'))).toEqual([])
  })
})

describe('the rooms of the engine', () => {
  it.each(rooms)('%s reaches only the rooms it may', async (room) => {
    const reached = await entry(`engine/src/${room}/index.ts`)
    const allowed = new Set([`engine/${room}`, ...SHARED, ...(MORE[room] ?? [])])
    const others = [...reached].filter((name) => WORKSPACES.includes(workspaceOf(name)) && !allowed.has(name))
    expect(others).toEqual([])
  })

  it('know nothing of HTTP servers, terminals or the DOM', async () => {
    const reached = await Promise.all(rooms.map((room) => entry(`engine/src/${room}/index.ts`)))
    const used = new Set(reached.flatMap((set) => packages(set)))
    expect([...used].filter((name) => /hono|^ws$|react|commander|playwright/.test(name))).toEqual([])
  })
})
