import { z } from 'zod'
import { timestamp } from './time.ts'

/** `daemon.json`: which process serves this home, and where. */
export const daemonInfo = z.looseObject({
  pid: z.int().min(1),
  port: z.int().min(1).max(65_535),
  /** Without a trailing slash. */
  address: z.string().min(1),
  version: z.string(),
  started_at: timestamp,
})
export type DaemonInfo = z.infer<typeof daemonInfo>
