import type { RuntimeHealth } from '@panoptes/schema'
import { expect, it, vi } from 'vitest'
import { CommandFailure } from '../../failure.ts'
import { type ConversationClient, sendMessage } from './conversation-client.ts'

it('lists the runtimes and says how to add an ACP agent if the runtime is unknown', async () => {
  const talk: Partial<ConversationClient> = {
    say: () => Promise.reject(new CommandFailure('Unknown runtime', { code: 'invalid' })),
    runtimes: vi
      .fn<ConversationClient['runtimes']>()
      .mockResolvedValue([{ id: 'jarvis', state: 'ready' } as RuntimeHealth]),
  }
  const sent = sendMessage(talk as ConversationClient, 'c1', { message: 'Hi', runtime: 'acp:claude' })
  await expect(sent).rejects.toMatchObject({
    message: 'Unknown runtime: claude',
    next: 'Available: jarvis\nTo add an agent that speaks ACP, set runtimes.acp in config.yaml (see docs/chat.md)',
  })
})
