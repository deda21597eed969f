import { existsSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

/** A Node below version 24, or the reason why there is none. */
export type OlderNode = { readonly program: string } | { readonly missing: string }

const CACHE = join(import.meta.dirname, '..', '..', '.cache', 'older-node')

/** Returns the machine's own Node if it is old enough, else Node 20 from npm, which is cached. */
export async function findOlderNode(): Promise<OlderNode> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(folder, 'node')
    if (existsSync(program) && (await isOlder(program))) return { program: await realpath(program) }
  }
  return cachedNode()
}

async function cachedNode(): Promise<OlderNode> {
  const program = join(CACHE, 'node_modules', 'node', 'bin', 'node')
  if (await isOlder(program)) return { program }
  await mkdir(CACHE, { recursive: true })
  const args = ['install', '--prefix', CACHE, '--no-save', '--no-audit', '--no-fund', 'node@20']
  const installed = await run('npm', args, { seconds: 180, cwd: CACHE })
  if (await isOlder(program)) return { program }
  return { missing: `npm could not install node@20: ${installed.output.trim().slice(-300)}` }
}

async function isOlder(program: string): Promise<boolean> {
  if (!existsSync(program)) return false
  const { code, output } = await run(program, ['--version'], { seconds: 20 })
  return code === 0 && Number.parseInt(output.replace('v', ''), 10) < 24
}
