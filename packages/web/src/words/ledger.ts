import type { CostGroup, EvidenceTier, OutcomeOrNone, Quantity, SkillVerdict } from '@panoptes/schema'
import * as f from '../format.ts'
import { plural } from './plural.ts'

const sessions = (n: number): string => plural(n, 'session', 'sessions')
const replies = (n: number): string => plural(n, 'reply', 'replies')
const claims = (n: number): string => plural(n, 'claim', 'claims')

export const ledgerWords = {
  title: 'Ledger',
  listWord: 'ledger',
  tabsLabel: 'Part of the ledger',
  tabs: {
    overview: 'Overview',
    agents: 'Agents',
    skills: 'Skills',
    claims: 'Claims',
    costs: 'Costs',
    followups: 'Follow-ups',
  },
  tabCount: (name: string, n: number) => `${name} ${f.shortCount(n)}`,
  span: 'Span',
  spans: { '7': '7 days', '30': '30 days', '90': '90 days', all: 'All time' },
  percent: (share: number): string => {
    const value = share * 100
    if (value > 0 && value < 0.1) return '<0.1 %'
    return `${value > 0 && value < 10 ? Number(value.toFixed(1)) : Math.round(value)} %`
  },
  all: (n: number) => `All ${f.count(n)}`,
  showing: (shown: number, total: number) =>
    shown === total ? f.count(total) : `${f.count(shown)} of ${f.count(total)}`,
  failed: 'This could not be read.',
  wait: 'Reading',
  unknownProject: 'project unknown',
  unknownModel: 'unknown model',
  csv: 'Save as CSV',
  csvHint: 'What is shown, as rows for a spreadsheet',

  filter: {
    label: 'Filters',
    source: 'Source',
    project: 'Project',
    session: 'Session',
    sessionOf: (id: string) => `Session ${id}`,
    sessionClear: 'Show every session',
    model: 'Model',
    type: 'Type',
    outcome: 'Outcome',
    flagged: 'Says done, is not',
    tier: 'Stands on',
    check: 'Check',
    verdict: 'Verdict',
    nothing: 'Nothing to choose yet',
    clear: 'Clear filters',
    cleared: 'Filters cleared',
  },
  noMatch: { title: 'Nothing matches', body: 'Nothing in this span matches all of these filters.' },
  noneIn: 'Nothing in this span. A longer one may hold something.',

  reading: (done: number, total: number) => `Reading ${f.count(done)} / ${f.count(total)}`,
  readingNext: 'What is read counts at once.',
  readFailed: (problem: string) => `Sessions could not be read for the ledger: ${problem}`,
  readFailedNext: 'What was read before is shown. Settings › Health says what to check.',
  health: 'Check health',

  empty: {
    title: 'Fills as agents finish',
    body: 'What agents did, said and cost comes in here by itself, from sessions that are on this computer and from those that begin now.',
    next: 'Run an agent, or see which of them were found.',
    sources: 'See what was found on this computer',
  },

  stats: {
    label: 'Sums',
    money: (span: string, lacks: number) =>
      lacks === 0
        ? span
        : `${span} · ${lacks === 1 ? '1 session has' : `${f.count(lacks)} sessions have`} no price`,
    moneyUnknown: (span: string) => `${span} · no price is known`,
    saved: 'saved by cache',
    agents: 'agents',
    functional: 'functional',
    functionalOf: (functional: number, marked: number) =>
      `${f.count(functional)} of ${f.count(marked)} agents that left a marker`,
    claims: 'claims that did not hold',
    claimsOf: (failed: number, all: number) => `${f.count(failed)} of ${claims(all)}`,
  },

  cost: {
    title: { day: 'Cost by day', week: 'Cost by week', month: 'Cost by month' },
    plot: 'Money by day and model. Arrows go from bar to bar, Enter opens the sessions.',
    budget: (money: string) => `budget ${money} a day`,
    rest: 'other',
    none: 'Nothing was spent in this span.',
    noPrice: (n: number) => `${replies(n)} without a price`,
    noPriceMark: 'part without a price',
    span: (from: string, to: string) => (from === to ? from : `${from} – ${to}`),
    said: (when: string, total: string, parts: readonly string[]) =>
      [`${when}: ${total}`, ...parts].join(', '),
    open: 'See the sessions',
  },

  calibration: {
    title: 'Said and took',
    said: 'said',
    took: 'took',
    plot: 'What was said beforehand against what it took. Above the line it took more. Arrows go from mark to mark, Enter opens what was said.',
    legend: (model: string, ratio: number) => `${model} ×${ratioText(ratio)}`,
    ratio: (ratio: number) => `×${ratioText(ratio)}`,
    open: (n: number) => `${plural(n, 'estimate', 'estimates')} not measured yet`,
    none: 'No estimate was measured yet. An agent states one as [ESTIMATE-HTC: …].',
    noneOf: 'No estimate can be drawn.',
    quantity: 'What was estimated',
    quantities: { duration: 'Time', tokens: 'Tokens', money: 'Money', count: 'Counts' } satisfies Record<
      Quantity,
      string
    >,
    point: (model: string, said: string, took: string) => `${model} said ${said}, took ${took}`,
    table: 'Said and took, by model',
    columns: { model: 'model', quantity: 'of', claims: 'estimates', ratio: 'took by said', says: 'in words' },
  },

  skills: {
    title: 'Skills',
    about: (days: number, low: number, high: number) =>
      `last ${f.count(days)} days; success with 95 % interval; marks at ${f.count(low)} and ${f.count(high)} %`,
    table: 'Skills',
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
    someFailed: (n: number) => `${plural(n, 'change was', 'changes were')} not made:`,
    undone: 'Taken back',
    undoFailed: 'It could not be taken back.',
    actions: { archive: 'Archive', mark: 'Mark as validated', none: 'Leave' },
    leaves: (n: number) => `${plural(n, 'skill stays', 'skills stay')} as ${n === 1 ? 'it is' : 'they are'}`,
  },

  claims: {
    title: 'Claims to look at',
    kept: (all: number, failed: number) => `${f.count(all)} kept · ${f.count(failed)} did not hold`,
    table: 'Claims, newest first',
    columns: {
      claim: 'claim',
      tier: 'kind',
      pointer: 'pointer',
      check: 'check',
      model: 'model',
      project: 'project',
      when: 'when',
    },
    tiers: { REAL: 'REAL', 'FROM-JOURNAL': 'FROM-JOURNAL', 'ESTIMATE-HTC': 'ESTIMATE' } satisfies Record<
      EvidenceTier,
      string
    >,
    checks: { holds: 'holds', fails: 'did not hold', open: 'open' },
    none: 'No number was stated with its evidence yet. An agent does it as “412 tests pass [REAL: call id]”.',
    quote: (value: string) => `“${value}”`,
    views: { label: 'What is shown', claims: 'Claims', calibration: 'Said and took' },
    panel: 'Claim',
    said: 'Where it was said',
    standsOn: 'What it stands on',
    checked: 'What came of looking',
    noPointer: 'It points to nothing.',
    toClaim: 'Read it in the transcript',
    toEvidence: 'See what was found',
  },

  outcomes: {
    title: 'Outcome by agent type',
    names: {
      functional: 'functional',
      partial: 'partial',
      scaffolding: 'scaffolding',
      fail: 'failed',
      none: 'none',
    } satisfies Record<OutcomeOrNone, string>,
    rest: (n: number) => `${plural(n, 'other type', 'other types')}`,
    none: 'No agent has finished in this span.',
    segment: (type: string, n: number, outcome: string) => `${type}: ${f.count(n)} ${outcome}`,
    type: (type: string) => (type === '' || type === '–' ? 'no type' : type),
  },

  flagged: {
    title: 'Says done, is not',
    none: 'No agent says done whose transcript shows otherwise.',
  },

  budgets: {
    title: 'Budgets',
    none: 'No budget is set. They stand under budgets in the config.',
    set: 'See Settings',
    of: (limit: string) => `/ ${limit}`,
    levels: { under: '', near: 'nearly used up', over: 'over the budget' },
    lacks: (n: number) => `${replies(n)} in it without a known price`,
  },

  agents: {
    table: 'Agents, newest first',
    columns: {
      agent: 'agent',
      outcome: 'outcome',
      project: 'project',
      model: 'model',
      calls: 'calls',
      errors: 'errors',
      tokensIn: 'tokens in',
      tokensOut: 'tokens out',
      cacheRead: 'cache read',
      cacheWrite: 'cache write',
      cost: 'cost',
      took: 'took',
      when: 'when',
    },
    none: 'No agent has finished in this span.',
    panel: (name: string) => `Agent ${name}`,
    read: 'Read the transcript',
    agentsOf: 'Agents of this session',
    stubs: (n: number) => plural(n, 'stub', 'stubs'),
    noMarker: 'It left no status marker.',
    checks: 'Checks it names',
    verified: 'Behaviour verified',
    followups: 'Follow-ups',
    flags: 'Says done, is not',
    tools: 'Calls by tool',
    noTools: 'It called no tool.',
    moreTools: (n: number) => `${plural(n, 'more tool', 'more tools')}`,
    atWork: 'still at work',
    flaggedMark: 'not borne out',
    costLacks: (n: number) => `${replies(n)} without a known price`,
    plusUnknown: (money: string, n: number) => `${money} + ${f.count(n)} unknown`,
    calls: (n: number) => plural(n, 'call', 'calls'),
  },

  costs: {
    by: 'By',
    groups: {
      day: 'Day',
      source: 'Source',
      project: 'Project',
      model: 'Model',
      agent: 'Agent',
      skill: 'Skill',
      session: 'Session',
    } satisfies Record<CostGroup, string>,
    table: (by: string) => `Costs by ${by}`,
    columns: {
      money: 'money',
      saved: 'saved',
      sessions: 'sessions',
      replies: 'replies',
      tokensIn: 'tokens in',
      tokensOut: 'tokens out',
      cacheRead: 'cache read',
      cacheWrite: 'cache write',
      unknown: 'no price',
    },
    none: 'Nothing was spent in this span.',
    noName: {
      day: 'no date',
      source: 'unknown',
      project: 'project unknown',
      model: 'unknown model',
      agent: 'unknown',
      skill: 'outside of skills',
      session: 'unknown',
    } satisfies Record<CostGroup, string>,
    sessions,
  },

  followups: {
    table: 'Follow-ups, newest first',
    columns: { text: 'what is left', agent: 'agent', project: 'project', when: 'when' },
    none: 'No agent named anything that is left to do. They do it under follow-ups of their status marker.',
  },

  keys: {
    choose: 'choose a row',
    open: 'open it',
    plots: 'go along a plot',
    close: 'close the panel',
  },
}

function ratioText(ratio: number): string {
  if (ratio >= 100) return f.count(Math.round(ratio))
  return ratio.toFixed(ratio < 0.1 ? 2 : 1)
}
