import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'

let home: TestHome
let bin = ''
beforeEach(async () => {
  home = await makeHome()
  bin = join(home.folder, 'bin')
  await mkdir(bin)
})
afterEach(() => home.remove())

const mac = process.platform === 'darwin'
const file = () =>
  mac
    ? join(home.folder, 'Library', 'LaunchAgents', 'dev.panoptes.daemon.plist')
    : join(home.folder, '.config', 'systemd', 'user', 'panoptes.service')
const service = (...args: string[]) =>
  runCommand(home, ['service', ...args], {
    env: { PATH: `${bin}:/nonexistent`, CODEX_HOME: join(home.folder, 'codex') },
  })
/** A fake service manager that records its calls and knows whether the service runs. */
const putManager = async () => {
  const program = join(bin, mac ? 'launchctl' : 'systemctl')
  const active = `'${home.folder}/active'`
  const script = `#!/bin/sh
echo "$@" >> '${home.folder}/told'
case "$*" in
  *is-active* | print*) test -e ${active} ;;
  *enable* | bootstrap*) : > ${active} ;;
  *disable* | bootout*) test -e '${home.folder}/stubborn' || /bin/rm -f ${active} ;;
esac
`
  await writeFile(program, script)
  await chmod(program, 0o755)
}

describe('panoptes service', () => {
  it('prints the file in a dry run, and writes it on request', async () => {
    const dry = await service('install', '--dry-run')
    expect(dry.stdout).toContain('panoptes.js')
    await expect(readFile(file(), 'utf8')).rejects.toThrow('ENOENT')
    const { code, stdout } = await service('install')
    expect(code).toBe(0)
    expect(stdout).toMatch(mac ? /launchctl bootstrap/ : /systemctl --user enable --now panoptes\.service/)
    expect(dry.stdout).toContain((await readFile(file(), 'utf8')).trimEnd())
    expect(dry.stdout).toContain('CODEX_HOME')
    expect((await service('status')).stdout).toContain('It is not running')
    expect((await service('uninstall')).stdout).toContain('the service was not running')
    await expect(readFile(file(), 'utf8')).rejects.toThrow('ENOENT')
  })

  it('starts the service only on request, and reports a missing service manager', async () => {
    expect(await service('install', '--now')).toMatchObject({ code: 1 })
    await putManager()
    expect(await service('install', '--now')).toMatchObject({ code: 0 })
    expect(await readFile(join(home.folder, 'told'), 'utf8')).toMatch(mac ? /^bootstrap/ : /enable --now/)
    expect((await service('status')).stdout).toContain('It is running')
    await writeFile(join(home.folder, 'stubborn'), '')
    expect(await service('uninstall')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The service did not stop, so nothing was removed'),
    })
    expect(await readFile(file(), 'utf8')).toContain('panoptes')
    await rm(join(home.folder, 'stubborn'))
    expect((await service('uninstall')).stdout).toContain('Stopped the service and removed')
    expect((await service('uninstall')).stdout).toContain('No service at')
  })
})
