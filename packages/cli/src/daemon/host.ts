import { isLoopback } from '@panoptes/engine/home'
import type { Config } from '@panoptes/schema'
import { CommandFailure, EXIT } from '../failure.ts'

/**
 * Chooses the listen address. One that other computers can reach must be on the command line, not only in the
 * config.
 */
export function chooseHost(config: Config, asked: string | undefined): string {
  if (asked !== undefined) return asked
  const { host } = config.server
  if (isLoopback(host)) return host
  throw new CommandFailure(`config.yaml sets server.host to ${host}, which other computers can reach`, {
    code: 'host_refused',
    next: `If this is intended, confirm it with: panoptes up --host ${host}`,
    exit: EXIT.config,
  })
}

/** Returns a warning for an address that other computers can reach. */
export const exposure = (host: string): string | null =>
  isLoopback(host)
    ? null
    : `Other computers can reach Panoptes on ${host}. It uses plain HTTP: anyone on the network can read the tokens.`

interface Asked {
  readonly port?: number
  readonly host?: string | undefined
}

/** Returns how to move a running Panoptes to the requested port, or null if it already uses that port. */
export function moveAdvice({ port, host }: Asked, address: string): string | null {
  if (port === undefined || port === 0 || port === Number(new URL(address).port)) return null
  return `To move it to port ${port}: panoptes stop && ${typedUp({ host })} --port ${port}`
}

/** The command that starts it on this host, without a port. */
export const typedUp = ({ host }: Pick<Asked, 'host'>): string =>
  host === undefined ? 'panoptes up' : `panoptes up --host ${host}`
