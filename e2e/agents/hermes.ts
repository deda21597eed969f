import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { beforeAll, describe, inject } from 'vitest'
import { collect, exitOf, type TestHome } from '../command.ts'
import { MissingPart } from '../setup/parts.ts'
import { makeTempFolder, workFolder } from './claude.ts'
import { HERMES } from './versions.ts'

const LIMIT_MS = 100_000

/** The model endpoint of Hermes, with `/v1`. */
export interface HermesAsks {
  readonly url: string
  readonly key: string
  readonly model: string
}

export interface HermesHome {
  readonly home: TestHome
  readonly asks: HermesAsks
  /** Parts of its config that replace those of `QUIET`. */
  readonly config?: Readonly<Record<string, object>>
}

/** Tests with the real Hermes. They are skipped with a reason if it cannot be installed. */
export function describeHermes(what: string, tests: () => void): void {
  const hermes = inject('hermes')
  describe(`Hermes ${HERMES} ${what}`, () => {
    beforeAll(() => {
      if ('missing' in hermes) throw new MissingPart(`There is no Hermes: ${hermes.missing}`)
    })
    tests()
  })
}

/** Stops all requests other than those for an answer of the given model. */
const QUIET = {
  agent: { api_max_retries: 1 },
  approvals: { mode: 'manual', timeout: 60 },
  security: { tirith_enabled: false, allow_lazy_installs: false },
  auxiliary: { title_generation: { enabled: false } },
  memory: { memory_enabled: false, user_profile_enabled: false, nudge_interval: 0 },
  skills: { creation_nudge_interval: 0 },
}

/** Writes its config and returns the environment of its programs. */
export async function prepareHermes({ home, asks, config }: HermesHome): Promise<NodeJS.ProcessEnv> {
  const hermes = join(home.folder, '.hermes')
  await mkdir(hermes, { recursive: true })
  await mkdir(workFolder(home), { recursive: true })
  const model = { provider: 'custom', base_url: asks.url, api_key: asks.key, default: asks.model }
  await writeFile(join(hermes, 'config.yaml'), JSON.stringify({ model, ...QUIET, ...config }))
  return {
    PATH: [binFolder(), process.env.PATH].join(delimiter),
    HOME: home.folder,
    HERMES_HOME: hermes,
    TMPDIR: await makeTempFolder(home),
    LANG: 'C.UTF-8',
  }
}

function binFolder(): string {
  const hermes = inject('hermes')
  if ('missing' in hermes) throw new Error(hermes.missing)
  return hermes.bin
}

export const hermesProgram = (): string => join(binFolder(), 'hermes')

export interface HermesRun {
  readonly code: number | null
  readonly session: string
  readonly output: string
}

export interface HermesRunOptions extends HermesHome {
  readonly prompt: string
  /** The session to continue. */
  readonly session?: string
}

/** Sends one message to the real client without a terminal. */
export async function runHermes(options: HermesRunOptions): Promise<HermesRun> {
  const { home, prompt, session } = options
  const env = await prepareHermes(options)
  const going = session === undefined ? [] : ['--resume', session]
  const child = spawn(hermesProgram(), ['chat', '--quiet', '--yolo', ...going, '--query', prompt], {
    cwd: workFolder(home),
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const stdout = collect(child, 'stdout')
  const stderr = collect(child, 'stderr')
  const code = await exitOf(child)
  clearTimeout(limit)
  const output = `${stdout()}${stderr()}`
  return { code, session: /session_id: (\S+)/.exec(output)?.[1] ?? '', output }
}

export interface HermesAcp {
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** The command that speaks ACP on standard input and output. */
export async function hermesAcpCommand(options: HermesHome): Promise<HermesAcp> {
  const env = await prepareHermes(options)
  return { command: [hermesProgram(), 'acp'], env }
}
