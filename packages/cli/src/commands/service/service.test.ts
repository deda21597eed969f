import { describe, expect, it } from 'vitest'
import { makeContext } from '../../context.ts'
import { serviceKind } from './place.ts'
import { launchdPlist, systemdUnit } from './unit.ts'

const ODD = {
  node: '/opt/my node/bin/node',
  command: '/opt/50%/$x/"a"/panoptes.js',
  home: '/home/a&b/.panoptes',
  log: '/home/a&b/.panoptes/panoptes.log',
}

describe('the file of a service', () => {
  it('names the program and the home so that systemd takes them literally', () => {
    const unit = systemdUnit(ODD)
    expect(unit).toContain(
      'ExecStart="/opt/my node/bin/node" "/opt/50%%/$$x/\\"a\\"/panoptes.js" "up" "--no-open"\n',
    )
    expect(unit).toContain('Environment="PANOPTES_HOME=/home/a&b/.panoptes"\n')
  })

  it('is well-formed for launchd', () => {
    const plist = launchdPlist(ODD)
    expect(plist).toContain('<string>/home/a&amp;b/.panoptes</string>')
    expect(plist.match(/<(?:dict|array|plist)\b/g)?.length).toBe(
      plist.match(/<\/(?:dict|array|plist)>/g)?.length,
    )
  })

  it('goes where each system looks for it', () => {
    const context = makeContext([], { HOME: '/home/dev', PANOPTES_HOME: '/srv/p' })
    expect(serviceKind(context, 'linux').file).toBe('/home/dev/.config/systemd/user/panoptes.service')
    expect(serviceKind(context, 'darwin').file).toBe(
      '/home/dev/Library/LaunchAgents/dev.panoptes.daemon.plist',
    )
    expect(serviceKind(context, 'linux').text).toContain('PANOPTES_HOME=/srv/p')
  })
})
