import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Conversation, ConversationHead } from '@panoptes/schema'
import type { TestHome } from './command.ts'
import type { Daemon } from './daemon.ts'

/** A home whose Jarvis uses the model `small`. */
export async function writeChatHome(home: TestHome, models: string, more: object = {}): Promise<void> {
  const providers = { local: { kind: 'openai', base_url: `${models}/v1`, retries: 0 } }
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  // JSON is valid YAML.
  const config = {
    providers,
    runtimes: { default: 'jarvis', jarvis: { provider: 'local', model: 'small' } },
    ...more,
  }
  await writeFile(join(home.panoptes, 'config.yaml'), JSON.stringify(config))
}

export const conversationsOf = async (daemon: Daemon): Promise<readonly ConversationHead[]> => {
  const reply = await daemon.request('/api/conversations')
  return ((await reply.json()) as { conversations: ConversationHead[] }).conversations
}

/** The most recently changed conversation with all of its messages. */
export async function lastConversation(daemon: Daemon): Promise<Conversation> {
  const [head] = await conversationsOf(daemon)
  return (await (await daemon.request(`/api/conversations/${head?.id}`)).json()) as Conversation
}
