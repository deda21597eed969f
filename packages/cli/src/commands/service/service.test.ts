import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeContext } from '../../context.ts'
import { describeService, launchdPlist, serviceEnvironment, systemdUnit } from './service.ts'

const ODD = {
  node: '/opt/my node/bin/node',
  command: '/opt/50%/$x/"a"/panoptes.js',
  log: '/home/a&b/.panoptes/panoptes.log',
  env: { PANOPTES_HOME: '/home/a&b/.panoptes', CODEX_HOME: '/x/50% $y "z"\\\n<w>' },
}

describe('the service file', () => {
  it('quotes the program and the home so that systemd takes them literally', () => {
    const unit = systemdUnit(ODD)
    expect(unit).toContain(
      'ExecStart="/opt/my node/bin/node" "/opt/50%%/$$x/\\"a\\"/panoptes.js" "up" "--no-open"\n',
    )
    expect(unit).toContain('\nEnvironment="PANOPTES_HOME=/home/a&b/.panoptes"\n')
    expect(unit).toContain('\nEnvironment="CODEX_HOME=/x/50%% $y \\"z\\"\\\\\\n<w>"\n')
  })

  it('is well-formed for launchd', () => {
    const plist = launchdPlist(ODD)
    expect(plist).toContain('<key>PANOPTES_HOME</key>\n    <string>/home/a&amp;b/.panoptes</string>')
    expect(plist).toContain('<key>CODEX_HOME</key>\n    <string>/x/50% $y "z"\\\n&lt;w&gt;</string>')
    expect(plist.match(/<(?:dict|array|plist)\b/g)?.length).toBe(
      plist.match(/<\/(?:dict|array|plist)>/g)?.length,
    )
  })

  it('inherits the locations of agents and models from the environment, but no secrets', () => {
    const secret = { OPENAI_API_KEY: 'sk-secret', PATH: '/bin' }
    const places = { CLAUDE_CONFIG_DIR: '/a', HERMES_HOME: 'b', CODEX_HOME: '', XDG_DATA_HOME: '/d' }
    const told = serviceEnvironment(
      makeContext([], { HOME: '/home/dev', PANOPTES_HOME: '/p', OLLAMA_HOST: ':1', ...places, ...secret }),
    )
    expect(told).toEqual({
      PANOPTES_HOME: '/p',
      CLAUDE_CONFIG_DIR: '/a',
      HERMES_HOME: resolve('b'),
      XDG_DATA_HOME: '/d',
      OLLAMA_HOST: ':1',
    })
  })

  it('is written where each system looks for it', () => {
    const context = makeContext([], { HOME: '/home/dev', PANOPTES_HOME: '/srv/p' })
    expect(describeService(context, 'linux').file).toBe('/home/dev/.config/systemd/user/panoptes.service')
    expect(describeService(context, 'darwin').file).toBe(
      '/home/dev/Library/LaunchAgents/dev.panoptes.daemon.plist',
    )
    expect(describeService(context, 'linux').text).toContain('PANOPTES_HOME=/srv/p')
  })
})
