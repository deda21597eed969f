import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { serviceEnvironment } from './environment.ts'
import { LAUNCHD_LABEL, launchdPlist, type Program, SYSTEMD_NAME, systemdUnit } from './unit.ts'

/** How services are kept on this system. */
export interface ServiceKind {
  readonly kind: 'systemd' | 'launchd'
  readonly file: string
  readonly text: string
  /** The program that takes a service up, and how it is told to. */
  readonly manager: string
  readonly start: readonly (readonly string[])[]
  readonly stop: readonly (readonly string[])[]
  readonly state: readonly string[]
}

export function serviceKind(context: Context, platform: NodeJS.Platform = process.platform): ServiceKind {
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
