import { commandsIn } from '../ran/command.ts'
import type { Simple } from '../ran/shell.ts'
import { familyOf } from '../ran/test-run.ts'

/** What a line does with tests and with the work they are for, in its order. */
export type Step = 'aside' | 'tests' | 'back'

/** Tests between two states that are fetched by the same line are of neither: they tell what was there before. */
export function stepsOf(line: string): readonly Step[] {
  const moves = commandsIn(line).flatMap(moveOf)
  const last = moves.lastIndexOf('tests')
  const isElsewhere =
    moves.slice(0, last).includes('tree') ||
    (moves.slice(0, last).includes('other') && moves.slice(last + 1).includes('other'))
  return moves.filter(
    (move) => move !== 'tree' && move !== 'other' && !(isElsewhere && move === 'tests'),
  ) as Step[]
}

/** `other`: files of another commit; `tree`: a copy of one. */
function moveOf(words: Simple): readonly (Step | 'other' | 'tree')[] {
  if (familyOf(words) !== undefined) return ['tests']
  const [name, ...rest] = words
  if (name !== 'git') return []
  const at = rest.findIndex((word, place) => !word.startsWith('-') && !/^-[cC]$/.test(rest[place - 1] ?? ''))
  const [what, how = ''] = rest.slice(Math.max(0, at))
  if (what === 'stash') {
    if (/^(?:pop|apply|branch)$/.test(how)) return ['back']
    return /^(?:push|save|-.*|)$/.test(how) ? ['aside'] : []
  }
  if (what === 'worktree') return how === 'add' ? ['tree'] : []
  if (what !== 'checkout' && what !== 'switch' && what !== 'restore') return []
  return /^(?:-[bBcC]|--orphan|--create)$/.test(how) ? [] : ['other']
}
