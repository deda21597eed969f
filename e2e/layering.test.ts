import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from './command.ts'
import { reach } from './import-graph.ts'

const SHARED = [
  'schema',
  'engine/worker-rpc',
  'engine/abortable',
  'engine/store',
  'engine/home',
  'engine/redact',
  'engine/sources',
  'engine/models',
  'engine/markers',
  'engine/statistics',
  'engine/user-command',
  'engine/otlp',
  'engine/skill-folders',
]
/** What a module may import beyond the shared ones. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  chat: ['engine/moa', 'engine/templates'],
}
const WORKSPACES = ['schema', 'engine', 'server', 'cli', 'web']
const modules = readdirSync(join(ROOT, 'packages', 'engine', 'src'), { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map(({ name }) => name)

const workspaceOf = (name: string): string => name.split('/')[0] ?? name
const workspaces = (reached: ReadonlySet<string>) =>
  [...new Set([...reached].map(workspaceOf))].filter((name) => WORKSPACES.includes(name)).sort()
const packages = (reached: ReadonlySet<string>) =>
  [...reached].filter((name) => name.startsWith('npm:')).map((name) => name.slice(4))
const entry = (path: string) => reach(join(ROOT, 'packages', path))

describe('imports between packages', () => {
  it('lets schema import only the validator', async () => {
    const reached = await entry('schema/src/index.ts')
    expect([...reached].sort()).toEqual(['npm:zod', 'schema'])
  })

  it('lets server import engine and schema', async () => {
    const reached = await entry('server/src/index.ts')
    expect(workspaces(reached)).toEqual(['engine', 'schema', 'server'])
  })

  it('lets the command import everything but the page', async () => {
    const reached = await entry('cli/src/main.ts')
    expect(workspaces(reached)).toEqual(['cli', 'engine', 'schema', 'server'])
    expect(packages(reached)).not.toContain('react')
  })

  it('lets the page import only schema, and no module of Node', async () => {
    const reached = await entry('web/src/main.tsx')
    expect(workspaces(reached)).toEqual(['schema', 'web'])
    expect([...reached].filter((name) => name.startsWith('node:'))).toEqual([])
  })
})

describe('modules of the engine', () => {
  it.each(modules)('lets %s import only the modules that it may', async (module) => {
    const reached = await entry(`engine/src/${module}/index.ts`)
    const allowed = new Set([`engine/${module}`, ...SHARED, ...(MORE[module] ?? [])])
    const others = [...reached].filter((name) => WORKSPACES.includes(workspaceOf(name)) && !allowed.has(name))
    expect(others).toEqual([])
  })

  it('lets no module import an HTTP server, a terminal library or the DOM', async () => {
    const reached = await Promise.all(modules.map((module) => entry(`engine/src/${module}/index.ts`)))
    const used = new Set(reached.flatMap((set) => packages(set)))
    expect([...used].filter((name) => /hono|^ws$|react|commander|playwright/.test(name))).toEqual([])
  })
})
