import { hostname } from 'node:os'

/** Whoever has the home of a hub is one more person of a team, and another one on each machine. */
export const ownerOfHome = (): string => `home:${hostname()}`
