import { check, type MarksInput, marksInput, type SessionMarks } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { findSession, withSessions } from './access.ts'
import { plain } from './format.ts'

export const tag = (context: Context, id: string, tags: readonly string[]): Promise<void> =>
  change(context, id, (now) => ({ tags: [...now, ...tags] }))

export const untag = (context: Context, id: string, tags: readonly string[]): Promise<void> =>
  change(context, id, (now) => ({
    tags: tags.length === 0 ? [] : now.filter((each) => !tags.includes(each)),
  }))

/** An empty text removes the note. */
export const note = (context: Context, id: string, words: readonly string[]): Promise<void> =>
  change(context, id, () => ({ note: words.join(' ') }))

async function change(
  context: Context,
  id: string,
  to: (tags: readonly string[]) => MarksInput,
): Promise<void> {
  const marks = await withSessions(
    context,
    async (sessions) => {
      const session = await findSession(sessions, id)
      return sessions.mark(session, checkMarks(to(session.tags)))
    },
    'write',
  )
  context.output.answer(lines(marks), marks)
}

function checkMarks(input: MarksInput): MarksInput {
  const read = check(marksInput, input)
  if (read.ok) return read.value
  const [problem] = read.problems
  throw new CommandFailure(`${problem?.path.startsWith('tags') ? 'A tag' : 'The note'} ${problem?.reason}`, {
    code: 'invalid',
    exit: EXIT.usage,
    next: 'Correct it, then try again.',
  })
}

const lines = ({ id, tags, note: text }: SessionMarks): readonly string[] => [
  `${plain(id, 100)} ${tags.length > 0 ? `is tagged ${tags.map((each) => plain(each, 64)).join(', ')}` : 'has no tags'}`,
  ...(text === null ? [] : [`Note: ${plain(text, 200)}`]),
]
