import type { Result } from '@panoptes/schema'
import type { KeeperCalls } from './messages.ts'
import { threadOnDemand } from './worker-client.ts'

/**
 * Runs the slow check of a store's file without opening the store. Another process may have it open. Nothing
 * in the file changes.
 */
export async function verifyStoreFile(file: string): Promise<Result<readonly string[]>> {
  const thread = threadOnDemand<{ [M in keyof KeeperCalls]: KeeperCalls[M] }>('keeper', file)
  try {
    return await thread.call('verify', [])
  } finally {
    await thread.close()
  }
}
