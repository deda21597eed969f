import { words } from '../../words.ts'
import type { Rect } from '../layout/labels.ts'
import { PILL_ROW } from '../layout/layout.ts'
import { PILLS, sumTools } from '../model/build-graph.ts'
import type { GraphSession } from '../model/graph.ts'
import type { Colors } from './colors.ts'
import { isInSight, type StageState } from './stage-state.ts'
import { FONTS, textWidth } from './text.ts'

const w = words.live.pill

interface Part {
  readonly text: string
  readonly font: 'small' | 'smallStrong'
  readonly color: keyof Colors
}

export interface PillSpot {
  readonly eye: number
  readonly rect: Rect
  readonly parts: readonly Part[]
}

const HEIGHT = 22
const PAD = 9
const GAP = 6
const SPREAD = 12
/** Below this scale the pills are unreadable. */
const READABLE = 0.5

/** The most used tools of each session, in rows under its rings, as far as its area has room. */
export function pillSpots(pen: CanvasRenderingContext2D, state: StageState): readonly PillSpot[] {
  const { scale, x: left, y: top } = state.camera
  if (scale < READABLE) return []
  return state.eyes.flatMap((eye, index) => {
    if (!isInSight(state, eye)) return []
    const outer = eye.rings.at(-1) ?? 34
    const first = (eye.y + outer) * scale + top + 18
    const pitch = Math.max(HEIGHT + 5, PILL_ROW * scale * 0.75)
    const bottom = (eye.box.y + eye.box.height) * scale + top
    const lines = Math.floor((bottom - first - HEIGHT) / pitch) + 1
    const rows = fittingRows(pen, eye.session, lines, eye.box.width * scale)
    return rows.flatMap((row, line) => {
      let x = eye.x * scale + left - rowWidth(pen, row) / 2
      return row.map((parts): PillSpot => {
        const width = pillWidth(pen, parts)
        const rect = { x, y: first + line * pitch, width, height: HEIGHT }
        x += width + SPREAD
        return { eye: index, rect, parts }
      })
    })
  })
}

type Row = readonly (readonly Part[])[]

/** As many named tools as fit; without their times if space is tight. */
function fittingRows(
  pen: CanvasRenderingContext2D,
  session: GraphSession,
  lines: number,
  room: number,
): readonly Row[] {
  for (let most = PILLS; most >= 0; most -= 1) {
    const rows = splitRows(pillParts(session, most))
    if (rows.length > lines) continue
    const fitted = rows.map((row) => (rowWidth(pen, row) <= room ? row : row.map(withoutTime)))
    if (fitted.every((row) => rowWidth(pen, row) <= room)) return fitted
  }
  return []
}

const withoutTime = (parts: readonly Part[]): readonly Part[] =>
  parts.filter((part) => part.color !== 'text-3')

function pillParts(session: GraphSession, most: number): Row {
  const pills = session.tools
    .slice(0, most)
    .map((pill): Part[] => [
      ...countParts(pill.tool, pill),
      ...(pill.p95_ms === null
        ? []
        : [{ text: w.p95(pill.p95_ms), font: 'small', color: 'text-3' } as const]),
    ])
  const rest = sumTools([...session.tools.slice(most), ...(session.moreTools ? [session.moreTools] : [])])
  if (rest === null) return pills
  const tools = session.tools.length + (session.moreTools?.tools ?? 0)
  const name = most === 0 ? w.tools(tools) : w.more(tools - pills.length)
  return [...pills, countParts(name, rest)]
}

const countParts = (
  name: string,
  count: { readonly calls: number; readonly errors: number | null },
): Part[] => [
  { text: name, font: 'small', color: 'text-2' },
  { text: w.times(count.calls), font: 'smallStrong', color: 'text' },
  ...(count.errors ? [{ text: w.errors(count.errors), font: 'small', color: 'failed' } as const] : []),
]

const splitRows = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length <= 2 ? (items.length === 0 ? [] : [items]) : [items.slice(0, 2), items.slice(2)]

const rowWidth = (pen: CanvasRenderingContext2D, row: Row): number =>
  row.reduce((sum, parts) => sum + pillWidth(pen, parts), SPREAD * (row.length - 1))

const pillWidth = (pen: CanvasRenderingContext2D, parts: readonly Part[]): number =>
  2 * PAD +
  GAP * (parts.length - 1) +
  parts.reduce((sum, part) => sum + textWidth(pen, part.text, part.font), 0)

export function drawPills(pen: CanvasRenderingContext2D, state: StageState): void {
  const spots = pillSpots(pen, state)
  const { colors, camera } = state
  pen.lineWidth = 1
  pen.strokeStyle = colors['line-strong']
  pen.setLineDash([1.5, 4])
  pen.beginPath()
  for (const { eye, rect } of spots) {
    const from = state.eyes[eye]
    if (!from) continue
    pen.moveTo(from.x * camera.scale + camera.x, from.y * camera.scale + camera.y)
    pen.lineTo(rect.x + rect.width / 2, rect.y)
  }
  pen.stroke()
  pen.setLineDash([])
  for (const spot of spots) {
    pen.beginPath()
    pen.roundRect(spot.rect.x, spot.rect.y, spot.rect.width, spot.rect.height, 6)
    pen.fillStyle = colors.raised
    pen.fill()
    pen.strokeStyle = colors['line-strong']
    pen.stroke()
    let x = spot.rect.x + PAD
    pen.textAlign = 'left'
    pen.textBaseline = 'middle'
    for (const part of spot.parts) {
      pen.font = FONTS[part.font]
      pen.fillStyle = colors[part.color]
      pen.fillText(part.text, x, spot.rect.y + HEIGHT / 2 + 0.5)
      x += textWidth(pen, part.text, part.font) + GAP
    }
  }
}
