import type { EffectMeasure, TemplateEffect } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { classes } from '../design/class-names.ts'
import { Glyph } from '../design/glyph.tsx'
import { Tag } from '../design/tag.tsx'
import { words } from '../words.ts'
import { differenceText, intervalText, readingGlyph, valueText } from './format.ts'

const w = words.templates.effect
const LONGEST = 120

/** The effect of a template as a sentence, as numbers, and with their caveats. */
export function EffectCard(props: {
  readonly effect: TemplateEffect
  /** The share of new sessions that get a template; null without an experiment. */
  readonly experiment: number | null
}) {
  const { effect, experiment } = props
  const isCompared = effect.with_sessions > 0 && effect.measures.length > 0
  const title = w.title(toVisibleLine(effect.template, LONGEST))
  return (
    <section
      aria-label={title}
      className="@container rounded-card border border-line bg-raised px-4 py-3.5 max-desk:px-3"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 className="min-w-48 flex-1 font-semibold [overflow-wrap:anywhere]">{title}</h2>
        {isCompared && <Tag>{w.interval}</Tag>}
        {experiment !== null && <Tag>{w.experiment(experiment)}</Tag>}
      </div>
      <p className="max-w-160 pt-1 text-12 text-text-2">
        {toVisible(effect.says)} <span className="text-text-3">{toVisible(effect.caveats.join(' '))}</span>
      </p>
      {isCompared && <Measures effect={effect} />}
    </section>
  )
}

function Measures({ effect }: { readonly effect: TemplateEffect }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <section tabIndex={0} aria-label={w.table} className="-mx-1 mt-2.5 overflow-x-auto px-1">
      <table className="w-full text-12 whitespace-nowrap">
        <thead>
          <tr className="border-b border-line text-11 text-text-3">
            <Head>{w.measure}</Head>
            <Head end>{w.with(effect.with_sessions)}</Head>
            <Head end>{w.without(effect.without_sessions)}</Head>
            <Head end only="last">
              {w.difference}
            </Head>
            <Head end only="wide">
              {w.intervalLabel}
            </Head>
            <th scope="col" className="w-32 py-1.5 font-normal @max-[540px]:hidden">
              <span className="sr-only">{w.reading}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {effect.measures.map((measure) => (
            <Row key={measure.name} measure={measure} effect={effect} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Head(props: { readonly children: string; readonly end?: boolean; readonly only?: 'wide' | 'last' }) {
  const { children, end = false, only } = props
  return (
    <th
      scope="col"
      className={classes(
        'py-1.5 pr-3 font-normal @[540px]:pr-5',
        end ? 'text-right' : 'text-left',
        only === 'wide' && '@max-[540px]:hidden',
        only === 'last' && '@max-[540px]:pr-0',
      )}
    >
      {children}
    </th>
  )
}

function Row({ measure, effect }: { readonly measure: EffectMeasure; readonly effect: TemplateEffect }) {
  const all =
    measure.with_sessions === effect.with_sessions && measure.without_sessions === effect.without_sessions
  const cell = 'py-1.5 pr-3 text-right align-top @[540px]:pr-5'
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="py-1.5 pr-3 text-left align-top font-normal whitespace-normal @[540px]:pr-5">
        <span className="pr-2">{w.measures[measure.name]}</span>
        {!all && (
          <span className="inline-block text-11 whitespace-nowrap text-text-3 @max-[540px]:block">
            {words.templates.compared(measure.with_sessions, measure.without_sessions)}
          </span>
        )}
        <span className="@[540px]:hidden">
          <Reading measure={measure} />
        </span>
      </th>
      <td className={`${cell} font-semibold`}>{valueText(measure, 'with')}</td>
      <td className={cell}>{valueText(measure, 'without')}</td>
      <td className={`${cell} @max-[540px]:pr-0`}>
        {differenceText(measure)}
        <span className="block text-11 text-text-3 @[540px]:hidden">{intervalText(measure)}</span>
      </td>
      <td className={`${cell} text-text-3 @max-[540px]:hidden`}>{intervalText(measure)}</td>
      <td className="py-1.5 align-top @max-[540px]:hidden">
        <Reading measure={measure} />
      </td>
    </tr>
  )
}

function Reading({ measure }: { readonly measure: EffectMeasure }) {
  return (
    <span className="flex items-center gap-1.5 text-text-2">
      <Glyph name={readingGlyph(measure)} size={13} />
      {w.readings[measure.reading]}
    </span>
  )
}
