import { createServer } from 'node:net'
import { findDaemon, readConfig } from '@panoptes/engine/home'
import { type Check, failed, ok, warning } from './check.ts'
import { portHolder } from './holders.ts'

export const daemonCheck: Check = {
  id: 'daemon',
  title: 'Running Panoptes',
  run: async ({ paths, version }) => {
    const daemon = await findDaemon(paths)
    if (daemon.state === 'absent') return ok('Not running. Start it with: panoptes up')
    const { pid, address } = daemon.info
    if (daemon.state === 'stale') {
      const cause = `Process ${pid} has exited but left its daemon.json`
      return warning('Not running', cause, 'Restart it with: panoptes up')
    }
    if (daemon.state === 'silent') {
      const next = `If this persists, end process ${pid} and restart with: panoptes up`
      return failed(`${address} does not answer`, `Process ${pid} is running but does not respond`, next)
    }
    if (daemon.state === 'foreign') {
      const cause = `${address} serves another home; daemon.json is outdated`
      return warning('Not running', cause, 'Start it with: panoptes up')
    }
    if (daemon.state === 'unproven')
      return failed(`${address}, process ${pid}, cannot be queried`, daemon.message, daemon.next)
    const detail = `${address}, process ${pid}, version ${daemon.version}`
    if (daemon.version === version) return ok(detail)
    const cause = `This command is version ${version}`
    return warning(detail, cause, 'Restart with the new version: panoptes stop && panoptes up')
  },
}

export const portCheck: Check = {
  id: 'port',
  title: 'Port',
  run: async ({ paths }) => {
    const daemon = await findDaemon(paths)
    if (daemon.state === 'running') return ok(`${daemon.info.port}, used by this Panoptes`)
    const read = await readConfig(paths)
    if (!read.ok) return ok('Not checked: config.yaml has errors')
    const { host, port } = read.value.config.server
    if (port === 0) return ok('Any free one')
    const code = await tryPort(host, port)
    if (code === undefined) return ok(`${port} is free`)
    if (code === 'EADDRINUSE') {
      const holder = await portHolder(port)
      const who = holder ? `${holder.name}, process ${holder.pid}` : "another user's process"
      const next = 'Stop it, or choose another port: panoptes config set server.port 8300'
      return failed(`${port} is in use`, `It is used by ${who}`, next)
    }
    return failed(
      `${host}:${port} cannot be used`,
      code,
      'Change it with: panoptes config set server.port 8201',
    )
  },
}

/** Returns why a port cannot be listened on, or undefined when it can. */
function tryPort(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}
