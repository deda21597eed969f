import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Ran, run } from '../setup/run.ts'
import { CACHE } from './install.ts'

/** The folder of its programs, or the reason why there is none. */
export type InstalledHermes = { readonly bin: string } | { readonly missing: string }

/** The API server needs it, but no extra of Hermes names it. */
const AIOHTTP = '3.14.1'
/** The Python versions that Hermes supports. */
const TAKES = { from: 11, to: 13 }
const PYTHONS = ['python3', 'python3.13', 'python3.12', 'python3.11']

/** Installs a version of Hermes from PyPI into a virtual environment that later runs reuse. */
export async function installHermes(version: string): Promise<InstalledHermes> {
  const folder = join(CACHE, `hermes-${version}`)
  const bin = join(folder, 'bin')
  if (await works(bin, version)) return { bin }
  const python = await findPython()
  if (python === undefined)
    return { missing: `Python 3.${TAKES.from} to 3.${TAKES.to} was not found (python3)` }
  console.log(`Installing hermes-agent ${version} for the tests with real agents …`)
  await mkdir(CACHE, { recursive: true })
  const made = await run(python, ['-m', 'venv', '--clear', folder], { seconds: 60 })
  if (made.code !== 0) return { missing: `${python} makes no virtual environment: ${lastLine(made)}` }
  const wanted = [`hermes-agent[acp]==${version}`, `aiohttp==${AIOHTTP}`]
  const flags = [
    '--quiet',
    '--no-compile',
    '--no-input',
    '--only-binary=:all:',
    '--disable-pip-version-check',
  ]
  const pip = ['-m', 'pip', 'install', ...flags, ...wanted]
  const installed = await run(join(bin, 'python'), pip, { seconds: 300 })
  if (await works(bin, version)) return { bin }
  return { missing: `hermes-agent ${version} cannot be installed from PyPI: ${lastLine(installed)}` }
}

const lastLine = ({ output }: Ran): string => output.trim().split('\n').at(-1) ?? ''

async function findPython(): Promise<string | undefined> {
  for (const name of PYTHONS) {
    const { output } = await run(name, ['-c', 'import sys; print(sys.version_info[:2])'], { seconds: 30 })
    const minor = Number(/^\(3, (\d+)\)/.exec(output)?.[1])
    if (minor >= TAKES.from && minor <= TAKES.to) return name
  }
  return undefined
}

/** Runs a cheap check: `--version` would ask the network for a newer version. */
async function works(bin: string, version: string): Promise<boolean> {
  const names = ['hermes-agent', 'aiohttp', 'agent-client-protocol']
  const asks = `import importlib.metadata as m; print(*map(m.version, ${JSON.stringify(names)}))`
  const { code, output } = await run(join(bin, 'python'), ['-c', asks], { seconds: 30 })
  return code === 0 && output.startsWith(`${version} ${AIOHTTP} `)
}
