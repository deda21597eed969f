import { createServer } from 'node:net'
import { findDaemon, readConfig } from '@panoptes/engine/home'
import { type Check, failed, ok, warning } from './check.ts'
import { portHolder } from './holders.ts'

export const daemonCheck: Check = {
  id: 'daemon',
  title: 'Running Panoptes',
  run: async ({ paths, version }) => {
    const daemon = await findDaemon(paths)
    if (daemon.state === 'absent') return ok('None runs; start one with: panoptes up')
    const { pid, address } = daemon.info
    if (daemon.state === 'stale') {
      const cause = `Process ${pid} is gone, its daemon.json is still there`
      return warning('None runs', cause, 'Start it again with: panoptes up')
    }
    if (daemon.state === 'silent') {
      const next = `If it stays so, end process ${pid} and start again with: panoptes up`
      return failed(`${address} does not answer`, `Process ${pid} is there and silent`, next)
    }
    if (daemon.state === 'foreign') {
      const cause = `${address} answers for another home; daemon.json is an old one`
      return warning('None runs', cause, 'Start it with: panoptes up')
    }
    const detail = `${address}, process ${pid}, version ${daemon.version}`
    if (daemon.version === version) return ok(detail)
    const cause = `This command is version ${version}`
    return warning(detail, cause, 'Start the new one with: panoptes stop && panoptes up')
  },
}

export const portCheck: Check = {
  id: 'port',
  title: 'Port',
  run: async ({ paths }) => {
    const daemon = await findDaemon(paths)
    if (daemon.state === 'running') return ok(`${daemon.info.port}, used by this Panoptes`)
    const read = await readConfig(paths)
    if (!read.ok) return ok('Not checked: the settings have mistakes')
    const { host, port } = read.value.config.server
    if (port === 0) return ok('Any free one')
    const code = await tryPort(host, port)
    if (code === undefined) return ok(`${port} is free`)
    if (code === 'EADDRINUSE') {
      const holder = await portHolder(port)
      const who = holder ? `${holder.name}, process ${holder.pid}` : 'a process this user may not see'
      const next = 'Stop it, or choose another port: panoptes config set server.port 8300'
      return failed(`${port} is taken`, `It is held by ${who}`, next)
    }
    return failed(
      `${host}:${port} cannot be used`,
      code,
      'Change it with: panoptes config set server.port 8201',
    )
  },
}

/** Why a port cannot be listened on; nothing when it can. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
