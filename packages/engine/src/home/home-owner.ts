import { hostname } from 'node:os'

/** The owner of a hub's home is one more person in the team, and a different one on each machine. */
export const ownerOfHome = (): string => `home:${hostname()}`
