import { isLoopback } from '@panoptes/engine/home'
import type { Config } from '@panoptes/schema'
import { EXIT } from '../exit-codes.ts'
import { CommandFailure } from '../failure.ts'

/** The address to listen on. One that others can reach must be said on the command line, not only in a file. */
export function chooseHost(config: Config, asked: string | undefined): string {
  if (asked !== undefined) return asked
  const { host } = config.server
  if (isLoopback(host)) return host
  throw new CommandFailure(`config.yaml asks to listen on ${host}, which others can reach`, {
    code: 'host_refused',
    next: `If you want that, say it as well: panoptes up --host ${host}`,
    exit: EXIT.config,
  })
}

/** A warning for an address that others can reach. */
export const exposure = (host: string): string | null =>
  isLoopback(host)
    ? null
    : `Others can reach Panoptes on ${host}. It speaks plain HTTP: whoever listens on the network sees the tokens.`

interface Asked {
  readonly port?: number
  readonly host?: string | undefined
}

/** How a running one comes to the port that was asked for; nothing where it has it. */
export function moveAdvice({ port, host }: Asked, address: string): string | null {
  if (port === undefined || port === 0 || port === Number(new URL(address).port)) return null
  return `To move it to port ${port}: panoptes stop && ${typedUp({ host })} --port ${port}`
}

/** What is typed to start it there, but for the port. */
export const typedUp = ({ host }: Pick<Asked, 'host'>): string =>
  host === undefined ? 'panoptes up' : `panoptes up --host ${host}`
