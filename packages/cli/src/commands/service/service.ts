import { execFile } from 'node:child_process'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createHome, fileFailure, replaceFile } from '@panoptes/engine/home'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail, toCommandFailure } from '../../failure.ts'
import { shortenPath } from '../../terminal/format.ts'
import { withUserUmask } from '../../umask.ts'

interface ServiceOptions {
  readonly dryRun?: boolean
  readonly now?: boolean
}

export async function installService(context: Context, options: ServiceOptions): Promise<void> {
  const service = describeService(context)
  const { kind, file, text } = service
  const document = { ok: true, kind, file, text, dry_run: options.dryRun === true, started: false }
  if (options.dryRun) {
    context.output.answer([text.trimEnd(), '', `Dry run: would write this to ${shortenPath(file)}`], document)
    return
  }
  if (context.env.PANOPTES_LEDGER || context.env.PANOPTES_BUS)
    context.output.note(
      'Addresses can contain passwords, so the service reads them from config.yaml: panoptes config set team.ledger ADDRESS',
    )
  orFail(await createHome(context.paths))
  try {
    await withUserUmask(async () => {
      await mkdir(dirname(file), { recursive: true })
      await replaceFile(file, text, 0o644)
    })
  } catch (error) {
    throw toCommandFailure(fileFailure(error, file, 'write'))
  }
  if (options.now) await runManagerCommands(service.manager, service.start)
  const next = options.now
    ? ['The service is running and starts at every sign-in']
    : ['Start it now and at every sign-in:', ...commandLines(service, service.start)]
  context.output.answer([`Wrote ${shortenPath(file)}`, ...next], {
    ...document,
    started: options.now === true,
  })
}

export async function uninstallService(context: Context, options: ServiceOptions): Promise<void> {
  const service = describeService(context)
  const { kind, file } = service
  const there = (await readServiceFile(file)) !== null
  const ran = there && (await isRunning(service))
  if (there && !options.dryRun) {
    // A service that never started cannot be stopped. The file is removed anyway.
    for (const args of service.stop) await runManager(service.manager, args)
    if (ran && (await isRunning(service))) throw didNotStop(service)
    try {
      await rm(file, { force: true })
    } catch (error) {
      throw toCommandFailure(fileFailure(error, file, 'remove'))
    }
  }
  const message = !there
    ? `No service at ${shortenPath(file)}`
    : options.dryRun
      ? `Dry run: would stop and remove ${shortenPath(file)}`
      : ran
        ? `Stopped the service and removed ${shortenPath(file)}`
        : `Removed ${shortenPath(file)}; the service was not running`
  context.output.answer([message], {
    ok: true,
    kind,
    file,
    removed: there && !options.dryRun,
    stopped: ran && !options.dryRun,
  })
}

export async function serviceStatus(context: Context): Promise<void> {
  const service = describeService(context)
  const { kind, file, text } = service
  const found = await readServiceFile(file)
  const running = await isRunning(service)
  const state = found === null ? 'absent' : found === text ? 'current' : 'other'
  const lines = [
    found === null ? `No service at ${shortenPath(file)}` : `The service is in ${shortenPath(file)}`,
    ...(state === 'other' ? ['It is outdated. Update it with: panoptes service install'] : []),
    ...(found === null
      ? ['Install it with: panoptes service install']
      : [running ? 'It is running' : 'It is not running']),
  ]
  context.output.answer(lines, { ok: true, kind, file, state, running })
}

const isRunning = async ({ manager, state }: ServiceKind): Promise<boolean> =>
  (await runManager(manager, state)).code === 0

const didNotStop = (service: ServiceKind): CommandFailure =>
  new CommandFailure('The service did not stop, so nothing was removed', {
    code: 'stays',
    next: `Stop it with this command, then try again: ${commandLines(service, service.stop).join('; ').trim()}`,
  })

const commandLines = (
  { manager }: ServiceKind,
  commands: readonly (readonly string[])[],
): readonly string[] => commands.map((args) => `  ${manager} ${args.join(' ')}`)

async function readServiceFile(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null)
}

const SECONDS = 30

interface CommandResult {
  /** null if the program does not exist. */
  readonly code: number | null
  readonly output: string
}

/** Runs the service manager of the system. It never throws. */
function runManager(manager: string, args: readonly string[]): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>()
  const child = execFile(manager, args, { timeout: SECONDS * 1_000 }, (error, stdout, stderr) => {
    const absent = error !== null && 'code' in error && error.code === 'ENOENT'
    resolve({ code: absent ? null : (child.exitCode ?? 1), output: `${stdout}${stderr}`.trim() })
  })
  return promise
}

/** Runs the commands in order and fails with the output of the first one that fails. */
async function runManagerCommands(manager: string, commands: readonly (readonly string[])[]): Promise<void> {
  for (const args of commands) {
    const { code, output } = await runManager(manager, args)
    if (code === 0) continue
    const typed = `${manager} ${args.join(' ')}`
    if (code === null) {
      throw new CommandFailure(`${manager} was not found, so Panoptes cannot start the service`, {
        code: 'no_manager',
        next: 'The file was written. Start Panoptes yourself with: panoptes up --detach',
      })
    }
    throw new CommandFailure(`${typed} failed: ${output.split('\n').at(-1) ?? ''}`, {
      code: 'manager_failed',
      next: `The file was written. Run it yourself: ${typed}`,
    })
  }
}

/** The service manager of this system. */
interface ServiceKind {
  readonly kind: 'systemd' | 'launchd'
  readonly file: string
  readonly text: string
  /** The program that manages services, and its commands. */
  readonly manager: string
  readonly start: readonly (readonly string[])[]
  readonly stop: readonly (readonly string[])[]
  readonly state: readonly string[]
}

export function describeService(context: Context, platform: NodeJS.Platform = process.platform): ServiceKind {
  const { env, paths } = context
  const home = env.HOME || homedir()
  const [, command = ''] = process.argv
  const program: Program = {
    node: process.execPath,
    command,
    log: paths.log,
    env: serviceEnvironment(context),
  }
  if (platform === 'darwin') {
    const file = join(home, 'Library', 'LaunchAgents', `${LAUNCHD_LABEL}.plist`)
    const domain = `gui/${process.getuid?.() ?? 0}`
    return {
      kind: 'launchd',
      file,
      text: launchdPlist(program),
      manager: 'launchctl',
      start: [['bootstrap', domain, file]],
      stop: [['bootout', `${domain}/${LAUNCHD_LABEL}`]],
      state: ['print', `${domain}/${LAUNCHD_LABEL}`],
    }
  }
  return {
    kind: 'systemd',
    file: join(env.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user', SYSTEMD_NAME),
    text: systemdUnit(program),
    manager: 'systemctl',
    start: [
      ['--user', 'daemon-reload'],
      ['--user', 'enable', '--now', SYSTEMD_NAME],
    ],
    stop: [['--user', 'disable', '--now', SYSTEMD_NAME]],
    state: ['--user', 'is-active', SYSTEMD_NAME],
  }
}

/** The program to start, as an absolute path because services have no PATH. */
interface Program {
  readonly node: string
  readonly command: string
  readonly log: string
  readonly env: Readonly<Record<string, string>>
}

const SYSTEMD_NAME = 'panoptes.service'
const LAUNCHD_LABEL = 'dev.panoptes.daemon'

/** A systemd user unit. */
export const systemdUnit = ({ node, command, env }: Program): string => `[Unit]
Description=Panoptes, which sees everything AI agents do
After=network.target

[Service]
Type=exec
ExecStart=${[node, command, 'up', '--no-open'].map(systemdArgument).join(' ')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${systemdWord(`${name}=${value}`)}`)
  .join('\n')}
Restart=on-failure
RestartSec=5
# Port or store in use, or an error in config.yaml: a restart does not help.
RestartPreventExitStatus=4 5 69

[Install]
WantedBy=default.target
`

/** A launchd property list for the user. */
export const launchdPlist = ({
  node,
  command,
  env,
  log,
}: Program): string => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LAUNCHD_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${[node, command, 'up', '--no-open'].map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${Object.entries(env)
  .map(([name, value]) => `    <key>${name}</key>\n    <string>${xml(value)}</string>`)
  .join('\n')}
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>StandardErrorPath</key>
  <string>${xml(log)}</string>
</dict>
</plist>
`

/** Quotes a word so that systemd takes it literally. */
const systemdWord = (word: string): string =>
  `"${word
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('%', '%%')
    .replace(/[\n\r\t]/g, (character) => ESCAPES[character] ?? '')}"`

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Only command lines expand variables, so only they escape the dollar sign. */
const systemdArgument = (word: string): string => systemdWord(word).replaceAll('$', '$$$$')

const xml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Variables with the locations of agent files. A service has another working folder, so relative paths become absolute. */
export const AGENT_PLACES = [
  'HERMES_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'KEI_EVENTS_FILE',
] as const
const AS_THEY_ARE = ['OLLAMA_HOST'] as const

/** The environment that the service inherits from the installing shell, without possible secrets. */
export function serviceEnvironment({ env, paths }: Context): Readonly<Record<string, string>> {
  const variables: Record<string, string> = { PANOPTES_HOME: paths.home }
  for (const name of AGENT_PLACES) if (env[name]) variables[name] = resolve(env[name])
  for (const name of AS_THEY_ARE) if (env[name]) variables[name] = env[name]
  return variables
}
