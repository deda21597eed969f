import type { CostGroup, EvidenceTier, OutcomeOrNone, Quantity } from '@panoptes/schema'
import * as f from '../format.ts'
import { plural } from '../format.ts'
import { skillsWords } from './skills.ts'

const sessions = (n: number): string => plural(n, 'session', 'sessions')
const replies = (n: number): string => plural(n, 'reply', 'replies')
const claims = (n: number): string => plural(n, 'claim', 'claims')

/** Names the filters that an empty result comes from, and whether any is set. */
interface Where {
  readonly text: string
  readonly chosen: boolean
}

export const ledgerWords = {
  title: 'Ledger',
  listWord: 'ledger',
  tabsLabel: 'Ledger sections',
  tabs: {
    overview: 'Overview',
    agents: 'Agents',
    skills: 'Skills',
    claims: 'Claims',
    costs: 'Costs',
    followups: 'Follow-ups',
  },
  tabHints: {
    agents: 'the outcome of each agent',
    skills: 'how often skills work, and their verdicts',
    claims: 'numbers that agents claimed, and whether they hold',
    costs: 'costs and tokens by day, project, model, agent, skill or session',
    followups: 'work that agents left to do',
  },
  tabCount: (name: string, n: number) => `${name} ${f.shortCount(n)}`,
  span: 'Time range',
  spans: { '7': '7 days', '30': '30 days', '90': '90 days', all: 'All time' },
  percent: (share: number): string => {
    const value = share * 100
    if (value > 0 && value < 0.1) return '<0.1 %'
    return `${value > 0 && value < 10 ? Number(value.toFixed(1)) : Math.round(value)} %`
  },
  fraction: (part: number, whole: number) => `${f.count(part)} of ${f.count(whole)}`,
  allOfThem: 'All',
  all: (n: number) => `All ${f.count(n)}`,
  showing: (shown: number, total: number) =>
    shown === total ? f.count(total) : `${f.count(shown)} of ${f.count(total)}`,
  failed: 'Couldn’t load this.',
  wait: 'Loading',
  unknownProject: 'project unknown',
  unknownModel: 'unknown model',
  csv: 'Save as CSV',
  csvHint: 'The rows shown, for a spreadsheet',

  filter: {
    label: 'Filters',
    source: 'Source',
    project: 'Project',
    session: 'Session',
    sessionLabel: (id: string) => `Session ${id}`,
    sessionClear: 'Show every session',
    model: 'Model',
    type: 'Type',
    outcome: 'Outcome',
    flagged: 'Says done but isn’t',
    tier: 'Evidence',
    check: 'Check',
    verdict: 'Verdict',
    nothing: 'No options yet',
    clear: 'Clear filters',
    cleared: 'Filters cleared',
  },
  where: {
    session: 'session',
    project: 'project',
    source: 'source',
    span: 'time range',
    text: (names: readonly string[]) =>
      names.length === 0
        ? 'yet'
        : `in this ${[names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ')}`,
  },
  noMatch: { title: 'No matches', body: 'Nothing in this time range matches all of these filters.' },
  noneIn: 'A longer time range may have more.',

  reading: (done: number, total: number) => `Reading ${f.count(done)} / ${f.count(total)}`,
  readingNext: 'The Ledger counts each session as soon as Panoptes has read it.',
  readFailed: (problem: string) => `Couldn’t read sessions for the Ledger: ${problem}`,
  readFailedNext:
    'The Ledger shows the sessions read before the error. To find the cause, see Settings › Health.',
  health: 'Check health',

  empty: {
    title: 'No outcomes yet',
    body: 'Outcomes, claims and costs appear here as agents finish. Panoptes also reads the sessions that are already on this computer.',
    next: 'Run an agent, or see which agents Panoptes found.',
    sources: 'See what Panoptes found on this computer',
  },

  stats: {
    label: 'Totals',
    money: (span: string, lacks: number) => (lacks === 0 ? span : `${span} · ${sessions(lacks)} unpriced`),
    moneyUnknown: (span: string) => `${span} · unpriced`,
    outside: (silent: number, none: boolean) =>
      none
        ? 'outside transcripts · not reported by any client'
        : `outside transcripts${silent === 0 ? '' : ` · unknown for ${sessions(silent)}`}`,
    outsideHint:
      'Cost of titles, summaries and compaction: each client’s own total minus the cost of its replies',
    saved: 'saved by cache',
    agents: 'agents',
    functional: 'functional, of agents with a marker',
    functionalDetail: (functional: number, marked: number) =>
      `${f.count(functional)} of ${plural(marked, 'agent', 'agents')} that left a marker`,
    claims: 'of checked claims did not hold',
    claimsDetail: (failed: number, checked: number, all: number) =>
      `${f.count(failed)} of ${plural(checked, 'checked claim', 'checked claims')}; ${claims(all)} in total. Estimates are compared with actuals instead.`,
  },

  cost: {
    title: { day: 'Cost by day', week: 'Cost by week', month: 'Cost by month' },
    plot: 'Money by day and model. Arrow keys move between bars, Enter opens the sessions.',
    budget: (money: string) => `budget ${money} a day`,
    rest: 'other',
    none: ({ text }: Where) => `Nothing spent ${text}.`,
    noPrice: (n: number) => `${replies(n)} unpriced`,
    noPriceMark: 'partly unpriced',
    span: (from: string, to: string) => (from === to ? from : `${from} – ${to}`),
    columnLabel: (when: string, total: string, parts: readonly string[]) =>
      [`${when}: ${total}`, ...parts].join(', '),
    open: 'View sessions',
  },

  calibration: {
    title: 'Estimates and actuals',
    estimate: 'estimated',
    took: 'actual',
    plot: 'Estimates and actuals. Marks above the line took more than estimated. Arrow keys move between marks, Enter opens the estimate.',
    legend: (model: string, ratio: number) => `${model} ×${ratioText(ratio)}`,
    ratio: (ratio: number) => `×${ratioText(ratio)}`,
    open: (n: number) => `${plural(n, 'estimate', 'estimates')} not measured yet`,
    onlyOpen: (n: number) =>
      `${plural(n, 'estimate', 'estimates')} so far. ${n === 1 ? 'It appears' : 'They appear'} here once the actual is known.`,
    none: ({ text, chosen }: Where) =>
      `No estimates ${text}.${chosen ? '' : ' Agents write an estimate as [ESTIMATE-HTC: …].'}`,
    nonePlottable: 'Nothing to plot: each estimate, or its actual, is zero.',
    quantity: 'What was estimated',
    quantities: { duration: 'Time', tokens: 'Tokens', money: 'Money', count: 'Counts' } satisfies Record<
      Quantity,
      string
    >,
    point: (model: string, estimate: string, took: string) => `${model} estimated ${estimate}, took ${took}`,
    table: 'Estimates and actuals by model',
    byModel: 'By model',
    columns: {
      model: 'model',
      quantity: 'quantity',
      claims: 'estimates',
      ratio: 'actual / estimate',
      says: 'meaning',
    },
  },

  ...skillsWords,

  claims: {
    title: 'Claims to review',
    summary: (all: number, failed: number) => `${f.count(all)} stored · ${f.count(failed)} did not hold`,
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
      `No claims ${text}.${chosen ? '' : ' Agents write a claim as “412 tests pass [REAL: call id]”.'}`,
    quote: (value: string) => `“${value}”`,
    views: { label: 'View', claims: 'Claims', calibration: 'Estimates and actuals' },
    panel: 'Claim',
    claimPlace: 'Where it was claimed',
    evidence: 'Evidence',
    checked: 'Check result',
    noPointer: 'The claim has no pointer.',
    toClaim: 'Read in the transcript',
    toEvidence: 'View evidence',
  },

  outcomes: {
    title: 'Outcome by agent type',
    names: {
      functional: 'functional',
      partial: 'partial',
      scaffolding: 'scaffolding',
      fail: 'failed',
      stopped: 'stopped',
      lost: 'lost',
      none: 'none',
    } satisfies Record<OutcomeOrNone, string>,
    rest: (n: number) => `+${plural(n, 'type', 'types')}`,
    none: ({ text }: Where) => `No agent has finished ${text}.`,
    segment: (type: string, n: number, outcome: string) => `${type}: ${f.count(n)} ${outcome}`,
    type: (type: string) => (type === '' || type === '–' ? 'no type' : type),
  },

  flagged: {
    title: 'Says done but isn’t',
    none: 'No agent says done while its transcript shows otherwise.',
  },

  budgets: {
    title: 'Budgets',
    none: 'No budgets yet. Add them under budgets in config.yaml.',
    set: 'Open Settings',
    of: (limit: string) => `/ ${limit}`,
    levels: { under: '', near: 'nearly used up', over: 'over budget' },
    lacks: (n: number) => `${replies(n)} unpriced`,
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
    sessionAgents: 'Agents of this session',
    stubs: (n: number) => plural(n, 'stub', 'stubs'),
    noMarker: 'No status marker.',
    checks: 'Reported checks',
    verified: 'Verified behavior',
    followups: 'Follow-ups',
    flags: 'Says done but isn’t',
    tools: 'Calls by tool',
    noTools: 'No tool calls.',
    moreTools: (n: number) => `${plural(n, 'more tool', 'more tools')}`,
    atWork: 'still working',
    flaggedMark: 'contradicted',
    costLacks: (n: number) => `${replies(n)} unpriced`,
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
      part: 'share of the largest',
      saved: 'saved',
      outside: 'outside',
      sessions: 'sessions',
      replies: 'replies',
      tokensIn: 'tokens in',
      tokensOut: 'tokens out',
      cacheRead: 'cache read',
      cacheWrite: 'cache write',
      unknown: 'unpriced',
    },
    none: ({ text }: Where) => `Nothing spent ${text}.`,
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
    outsideLacks: (n: number) => `${sessions(n)} unknown`,
  },

  followups: {
    table: 'Follow-ups, newest first',
    columns: { text: 'follow-up', agent: 'agent', project: 'project', when: 'when' },
    none: 'No follow-ups. Agents list follow-ups in their status marker.',
  },

  keys: {
    choose: 'choose a row',
    open: 'open the row',
    plots: 'move along a chart',
    close: 'close the panel',
  },
}

function ratioText(ratio: number): string {
  if (ratio >= 100) return f.count(Math.round(ratio))
  return ratio.toFixed(ratio < 0.1 ? 2 : 1)
}
