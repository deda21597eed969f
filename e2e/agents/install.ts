import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../command.ts'
import { run } from '../setup/run.ts'

/** Installed clients are cached for later runs. */
export const CACHE = join(ROOT, '.cache', 'agents')

interface Client {
  readonly name: string
  readonly package: string
  /** The npm scope of the platform packages, and the path of the program in each. */
  readonly scope: string
  readonly platform: RegExp
  readonly program: string
  /** A subfolder per platform that contains the program. */
  readonly within?: string
}

const CLAUDE: Client = {
  name: 'claude-code',
  package: '@anthropic-ai/claude-code',
  scope: '@anthropic-ai',
  platform: /./,
  program: 'claude',
}
const OPENCODE: Client = {
  name: 'opencode',
  package: 'opencode-ai',
  scope: '.',
  platform: /^opencode-(?!.*-baseline)/,
  program: join('bin', 'opencode'),
}
const CODEX: Client = {
  name: 'codex',
  package: '@openai/codex',
  scope: '@openai',
  platform: /^codex-/,
  within: 'vendor',
  program: join('bin', 'codex'),
}

export const installClaudeCode = (version: string): Promise<string> => install(CLAUDE, version)
export const installOpenCode = (version: string): Promise<string> => install(OPENCODE, version)
export const installCodex = (version: string): Promise<string> => install(CODEX, version)

/** Installs one version of a client from npm, outside of the lock file, and caches it. */
async function install(client: Client, version: string): Promise<string> {
  const folder = join(CACHE, `${client.name}-${version}`)
  const kept = await working(client, folder, version)
  if (kept) return kept
  const said = await fromNpm(folder, `${client.package}@${version}`)
  const found = await working(client, folder, version)
  if (found) return found
  throw cannotInstall(`${client.package}@${version}`, said)
}

const CLAUDE_AGENT_ACP = '@agentclientprotocol/claude-agent-acp'

/**
 * Installs the script that speaks ACP for Claude Code. It has no Claude Code of its own and gets the path of one.
 */
export async function installClaudeAgentAcp(version: string): Promise<string> {
  const folder = join(CACHE, `claude-agent-acp-${version}`)
  const script = join(folder, 'node_modules', CLAUDE_AGENT_ACP, 'dist', 'index.js')
  if (existsSync(script)) return script
  const said = await fromNpm(folder, `${CLAUDE_AGENT_ACP}@${version}`, ['--omit=optional'])
  if (existsSync(script)) return script
  throw cannotInstall(`${CLAUDE_AGENT_ACP}@${version}`, said)
}

/** The line of npm's output that explains a failure. */
async function fromNpm(folder: string, wanted: string, more: readonly string[] = []): Promise<string> {
  console.log(`Installing ${wanted} for the tests with real agents …`)
  await mkdir(folder, { recursive: true })
  // The install scripts only copy the program out of the platform package, so it is run from there instead.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...more]
  const installed = await run('npm', ['install', '--prefix', folder, ...flags, wanted], {
    seconds: 300,
    cwd: folder,
  })
  const lines = installed.output.trim().split('\n')
  return lines.find((line) => /^npm (?:error|ERR!) (?!code|errno|syscall)/.test(line)) ?? lines.at(-1) ?? ''
}

const cannotInstall = (wanted: string, said: string): Error =>
  new Error(`The tests with real agents need ${wanted} from npm, and it cannot be installed: ${said}`)

/** npm may install several platform packages: returns the first program that runs. */
async function working(
  { scope, platform, program, within }: Client,
  folder: string,
  version: string,
): Promise<string | undefined> {
  const modules = join(folder, 'node_modules', scope)
  const names = await readdir(modules).catch(() => [])
  for (const name of names.filter((each) => platform.test(each))) {
    const folders = within ? await foldersIn(join(modules, name, within)) : [join(modules, name)]
    for (const each of folders) {
      const file = join(each, program)
      if (existsSync(file) && (await runs(file, version))) return file
    }
  }
  return undefined
}

const foldersIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(() => [])).map((name) => join(folder, name))

/** Clients leave things in the temporary folder even when they only print their version. */
async function runs(file: string, version: string): Promise<boolean> {
  const temp = await mkdtemp(join(tmpdir(), 'panoptes-client-'))
  try {
    const env = { ...process.env, TMPDIR: temp }
    const { code, output } = await run(file, ['--version'], { seconds: 30, env })
    return code === 0 && output.split(/\s/).includes(version)
  } finally {
    await rm(temp, { recursive: true, force: true })
  }
}
