import { findDaemon } from '@panoptes/engine/home'
import type { Config } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'

/** The address of Panoptes for agents on this computer: of the running one, or the configured one. */
export async function agentAddress({ paths }: Context, { server }: Config): Promise<string> {
  const daemon = await findDaemon(paths)
  if (daemon.state === 'running') return daemon.info.address
  if (server.port === 0) {
    throw new CommandFailure('server.port is 0, so the address of Panoptes is not fixed', {
      code: 'no_port',
      next: 'Choose a port, for example: panoptes config set server.port 8201',
      exit: EXIT.config,
    })
  }
  const everywhere = ['0.0.0.0', '::', ''].includes(server.host)
  const host = everywhere ? '127.0.0.1' : server.host.includes(':') ? `[${server.host}]` : server.host
  return `http://${host}:${server.port}`
}
