import type { Result } from '@panoptes/schema'
import type { KeeperCalls } from './messages.ts'
import { storeThread } from './worker-client.ts'

/**
 * Runs the slow check of a store's file without opening the store. Another process may have it open. Nothing
 * in the file changes.
 */
export async function verifyStoreFile(file: string): Promise<Result<readonly string[]>> {
  const thread = storeThread<{ [M in keyof KeeperCalls]: KeeperCalls[M] }>('keeper', file)
  try {
    return await thread.call('verify', [])
  } finally {
    await thread.call('close', [])
    await thread.end()
  }
}
