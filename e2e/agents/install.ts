import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../command.ts'
import { run } from '../setup/run.ts'

const PACKAGE = '@anthropic-ai/claude-code'
const CACHE = join(ROOT, '.cache', 'agents')

/** The program of one version of Claude Code, from npm, outside the lock file; kept for the next run. */
export async function installClaudeCode(version: string): Promise<string> {
  const folder = join(CACHE, `claude-code-${version}`)
  const kept = await program(folder)
  if (kept && (await runs(kept, version))) return kept
  console.log(`Installing ${PACKAGE}@${version} for the tests with real agents …`)
  await mkdir(folder, { recursive: true })
  // Its own script only copies the program of this platform; what is in the platform's package is run directly.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  const installed = await run('npm', ['install', '--prefix', folder, ...flags, `${PACKAGE}@${version}`], {
    seconds: 300,
    cwd: folder,
  })
  const found = await program(folder)
  if (found && (await runs(found, version))) return found
  const lines = installed.output.trim().split('\n')
  const said = lines.find((line) => /^npm (?:error|ERR!) (?!code|errno|syscall)/.test(line)) ?? lines.at(-1)
  throw new Error(
    `The tests with real agents need ${PACKAGE}@${version} from npm, and it cannot be installed: ${said}`,
  )
}

async function program(folder: string): Promise<string | undefined> {
  const scope = join(folder, 'node_modules', '@anthropic-ai')
  const names = await readdir(scope).catch(() => [])
  return names.map((name) => join(scope, name, 'claude')).find((file) => existsSync(file))
}

async function runs(file: string, version: string): Promise<boolean> {
  const { code, output } = await run(file, ['--version'], { seconds: 30 })
  return code === 0 && output.startsWith(version)
}
