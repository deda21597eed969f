import { createHash } from 'node:crypto'
import type { Paths } from '@panoptes/engine/home'

/** Tells the homes of one computer apart, and says nothing of where they are. */
export const homeId = ({ home }: Pick<Paths, 'home'>): string =>
  createHash('sha256').update(home).digest('hex').slice(0, 16)
