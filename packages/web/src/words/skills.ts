import type { SkillVerdict } from '@panoptes/schema'
import * as f from '../format.ts'
import { plural } from '../format.ts'

/** The text of the Ledger's Skills tab and of the skill review. */
export const skillsWords = {
  skills: {
    title: 'Skills',
    about: (days: number, low: number, high: number) =>
      `${days === 1 ? 'last day' : `last ${f.count(days)} days`}; success with 95 % interval; lines at ${f.count(low)} % and ${f.count(high)} %`,
    table: 'Skills, with those that need action first',
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
    none: 'No skills used yet. Panoptes counts Skill calls, slash commands and runs of panoptes record-skill.',
    never: 'never',
    review: 'Review changes',
    panel: (name: string) => `Skill ${name}`,
    reason: 'Reason',
    folders: 'Folders',
    noFolder: 'No folder on this computer.',
    uses: 'Uses',
    usesNone: 'No uses known.',
    how: { call: 'called', command: 'as a command', recorded: 'recorded' },
    worked: 'worked',
    didNot: 'did not work',
    open: 'not known yet',
    facts: { uses: 'uses', judged: 'with a result', successes: 'worked', all: 'all time' },
  },

  review: {
    title: 'Review skills',
    body: 'Panoptes suggests these changes based on the verdicts. It changes a skill only when you apply the changes, and you can undo them.',
    none: 'Nothing to change: no skill needs an update.',
    wait: 'Checking the skills and their folders',
    failed: 'Couldn’t prepare the review.',
    apply: (n: number) => `Apply ${plural(n, 'change', 'changes')}`,
    applying: 'Applying',
    applied: (n: number) => `Applied ${plural(n, 'change', 'changes')}`,
    someFailed: (made: number, failed: number) =>
      `${made === 0 ? '' : `Applied ${plural(made, 'change', 'changes')}. `}${plural(failed, 'change', 'changes')} failed:`,
    undone: 'Undone',
    undoFailed: 'Couldn’t undo the changes.',
    actions: { archive: 'Archive', mark: 'Mark as validated', none: 'Keep' },
    leaves: (n: number) => `${plural(n, 'skill stays', 'skills stay')} as ${n === 1 ? 'it is' : 'they are'}`,
  },
}
