import type { RuntimeHealth } from '@panoptes/schema'
import { expect, it, vi } from 'vitest'
import { CommandFailure } from '../../failure.ts'
import { sendMessage, type Talk } from './conversation-client.ts'

it('lists the runtimes and says how to add an ACP agent if the runtime is unknown', async () => {
  const talk: Partial<Talk> = {
    say: () => Promise.reject(new CommandFailure('Unknown runtime', { code: 'invalid' })),
    runtimes: vi
      .fn<Talk['runtimes']>()
      .mockResolvedValue([{ id: 'jarvis', state: 'ready' } as RuntimeHealth]),
  }
  const sent = sendMessage(talk as Talk, 'c1', { message: 'Hi', runtime: 'acp:claude' })
  await expect(sent).rejects.toMatchObject({
    message: 'Unknown runtime: claude',
    next: 'Available: jarvis\nTo add an agent that speaks ACP, set runtimes.acp in config.yaml (see docs/chat.md)',
  })
})
