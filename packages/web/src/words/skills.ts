import type { SkillVerdict } from '@panoptes/schema'
import * as f from '../format.ts'
import { plural } from './plural.ts'

/** Of skills in the ledger, and of their review. */
export const skillsWords = {
  skills: {
    title: 'Skills',
    about: (days: number, low: number, high: number) =>
      `last ${f.count(days)} days; success with 95 % interval; marks at ${f.count(low)} and ${f.count(high)} %`,
    table: 'Skills, those to act on first',
    columns: {
      skill: 'skill',
      uses: 'uses',
      success: 'success',
      interval: '95 % interval',
      p50: 'p50',
      p95: 'p95',
      used: 'last used',
      all: 'all time',
      verdict: 'verdict',
    },
    interval: (rate: string, low: string, high: string) => `${rate}, 95 % interval from ${low} to ${high}`,
    verdicts: {
      validated: 'validated',
      're-extract': 're-extract',
      archive: 'archive',
      watching: 'watching',
    } satisfies Record<SkillVerdict, string>,
    none: 'No skill was used yet. Uses come from Skill calls and slash commands, and from panoptes record-skill.',
    never: 'never',
    review: 'Review changes',
    panel: (name: string) => `Skill ${name}`,
    reason: 'Why',
    folders: 'Folders',
    noFolder: 'It has no folder on this computer.',
    uses: 'Uses',
    usesNone: 'No use is known.',
    how: { call: 'called', command: 'as a command', recorded: 'recorded' },
    worked: 'worked',
    didNot: 'did not work',
    open: 'not known yet',
    facts: { uses: 'uses', judged: 'end known', successes: 'worked', all: 'all time' },
  },

  review: {
    title: 'Review skills',
    body: 'This is what the verdicts ask for. Nothing is touched before you apply it, and it can be taken back.',
    none: 'The verdicts ask for nothing: every skill stays as it is.',
    wait: 'Looking at the skills and their folders',
    failed: 'The review could not be made.',
    apply: (n: number) => `Apply ${plural(n, 'change', 'changes')}`,
    applying: 'Applying',
    applied: (n: number) => `Applied ${plural(n, 'change', 'changes')}`,
    someFailed: (made: number, failed: number) =>
      `${made === 0 ? '' : `${plural(made, 'change was', 'changes were')} made. `}${plural(failed, 'change was', 'changes were')} not made:`,
    undone: 'Taken back',
    undoFailed: 'It could not be taken back.',
    actions: { archive: 'Archive', mark: 'Mark as validated', none: 'Leave' },
    leaves: (n: number) => `${plural(n, 'skill stays', 'skills stay')} as ${n === 1 ? 'it is' : 'they are'}`,
  },
}
