import { findDaemon } from '@panoptes/engine/home'
import type { Config } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'

/** Where agents on this computer reach Panoptes: where it runs, else where it will. */
export async function agentAddress({ paths }: Context, { server }: Config): Promise<string> {
  const daemon = await findDaemon(paths)
  if (daemon.state === 'running') return daemon.info.address
  if (server.port === 0) {
    throw new CommandFailure('server.port is 0, so nobody knows yet where Panoptes will be', {
      code: 'no_port',
      next: 'Choose a port, such as: panoptes config set server.port 8201',
      exit: EXIT.config,
    })
  }
  const everywhere = ['0.0.0.0', '::', ''].includes(server.host)
  const host = everywhere ? '127.0.0.1' : server.host.includes(':') ? `[${server.host}]` : server.host
  return `http://${host}:${server.port}`
}
