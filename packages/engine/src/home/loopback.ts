import { isIP } from 'node:net'

/** Returns true when only this computer can reach a listener on this host. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
