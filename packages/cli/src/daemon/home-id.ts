import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { Paths } from '@panoptes/engine/home'
import { formatUploaderId } from '@panoptes/schema'

/** Identifies a home on this computer without revealing its path. */
export const homeId = ({ home }: Pick<Paths, 'home'>): string =>
  createHash('sha256').update(home).digest('hex').slice(0, 16)

/**
 * The sender name that a home uses in its own database. Names sent over HTTP contain no dot, so nobody else
 * can use this one.
 */
export const ownTeller = (paths: Pick<Paths, 'home'>): string =>
  formatUploaderId(hostname(), `hub.${homeId(paths)}`)
