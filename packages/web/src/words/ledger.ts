import type { CostGroup, EvidenceTier, OutcomeOrNone, Quantity } from '@panoptes/schema'
import * as f from '../format.ts'
import { plural } from './plural.ts'
import { skillsWords } from './skills.ts'

const sessions = (n: number): string => plural(n, 'session', 'sessions')
const replies = (n: number): string => plural(n, 'reply', 'replies')
const claims = (n: number): string => plural(n, 'claim', 'claims')

/** Where there is nothing, and whether whose sessions count is chosen. */
interface Where {
  readonly text: string
  readonly chosen: boolean
}

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
  tabHints: {
    agents: 'what each agent amounted to',
    skills: 'how often skills work, and what the rules say of them',
    claims: 'numbers that agents stated, and whether they hold',
    costs: 'money and tokens by day, project, model, agent, skill or session',
    followups: 'what agents left to do',
  },
  tabCount: (name: string, n: number) => `${name} ${f.shortCount(n)}`,
  span: 'Span',
  spans: { '7': '7 days', '30': '30 days', '90': '90 days', all: 'All time' },
  percent: (share: number): string => {
    const value = share * 100
    if (value > 0 && value < 0.1) return '<0.1 %'
    return `${value > 0 && value < 10 ? Number(value.toFixed(1)) : Math.round(value)} %`
  },
  partOf: (part: number, whole: number) => `${f.count(part)} of ${f.count(whole)}`,
  allOfThem: 'All',
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
  where: {
    session: 'session',
    project: 'project',
    source: 'source',
    span: 'span',
    text: (names: readonly string[]) =>
      names.length === 0
        ? 'yet'
        : `in this ${[names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ')}`,
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
    functional: 'functional, of those with a marker',
    functionalOf: (functional: number, marked: number) =>
      `${f.count(functional)} of ${f.count(marked)} agents that left a marker`,
    claims: 'checked claims did not hold',
    claimsOf: (failed: number, checked: number, all: number) =>
      `${f.count(failed)} of ${f.count(checked)} that could be checked, of ${claims(all)}; estimates are held against what it took`,
  },

  cost: {
    title: { day: 'Cost by day', week: 'Cost by week', month: 'Cost by month' },
    plot: 'Money by day and model. Arrows go from bar to bar, Enter opens the sessions.',
    budget: (money: string) => `budget ${money} a day`,
    rest: 'other',
    none: ({ text }: Where) => `Nothing was spent ${text}.`,
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
    onlyOpen: (n: number) =>
      `${plural(n, 'estimate', 'estimates')} so far. ${n === 1 ? 'It shows' : 'They show'} here once it is known what it took.`,
    none: ({ text, chosen }: Where) =>
      `Nothing was estimated ${text}.${chosen ? '' : ' An agent states one as [ESTIMATE-HTC: …].'}`,
    noneOf: 'No estimate can be drawn.',
    quantity: 'What was estimated',
    quantities: { duration: 'Time', tokens: 'Tokens', money: 'Money', count: 'Counts' } satisfies Record<
      Quantity,
      string
    >,
    point: (model: string, said: string, took: string) => `${model} said ${said}, took ${took}`,
    table: 'Said and took, by model',
    byModel: 'By model',
    columns: { model: 'model', quantity: 'of', claims: 'estimates', ratio: 'took by said', says: 'in words' },
  },

  ...skillsWords,

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
    off: 'off',
    offBy: (ratio: number) => `off ×${ratioText(ratio)}`,
    none: ({ text, chosen }: Where) =>
      `No number was stated with its evidence ${text}.${chosen ? '' : ' An agent does it as “412 tests pass [REAL: call id]”.'}`,
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
    rest: (n: number) => `+${f.count(n)} types`,
    none: ({ text }: Where) => `No agent has finished ${text}.`,
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
    none: ({ text }: Where) => `No agent has finished ${text}.`,
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
    plusShort: (n: number) => `+${f.shortCount(n)} ?`,
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
      part: 'against the most',
      saved: 'saved',
      sessions: 'sessions',
      replies: 'replies',
      tokensIn: 'tokens in',
      tokensOut: 'tokens out',
      cacheRead: 'cache read',
      cacheWrite: 'cache write',
      unknown: 'no price',
    },
    none: ({ text }: Where) => `Nothing was spent ${text}.`,
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
