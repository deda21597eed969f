import type { Conversation, RuntimeHealth } from '@panoptes/schema'
import { words } from '../../words.ts'
import { titleIn } from '../runtimes.ts'

const NOBODY: readonly RuntimeHealth[] = []

/** What was said, as Markdown. */
export const markdownOf = ({ title, messages }: Pick<Conversation, 'title' | 'messages'>): string =>
  [
    `# ${title || words.chat.untitled}`,
    ...messages
      .filter(({ content }) => content !== '')
      .map(({ role, runtime, content }) => {
        const who = role === 'user' ? words.chat.thread.you : titleIn(NOBODY, runtime)
        return `## ${who}\n\n${content}`
      }),
  ].join('\n\n')
