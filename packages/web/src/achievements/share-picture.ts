import type { AchievementItem } from '@panoptes/schema'
import { words } from '../words.ts'
import { badgePath, HEXAGON } from './badge-paths.ts'
import { TIERS, tierRank, tierToken } from './tiers.ts'

const w = words.achievements

export const PICTURE = { width: 1_200, height: 630 } as const
const LEFT = 470
const RIGHT = 1_120

export interface ShareCard {
  readonly item: AchievementItem
  readonly unlocked: number
  readonly total: number
  /** When it reached its current tier, as text. */
  readonly day: string | null
}

/** Reads a color or font of the current theme. */
export type Token = (name: string) => string

export const themeToken: Token = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** Draws the card onto a canvas of its size without fetching anything. */
export function drawPicture(
  pen: CanvasRenderingContext2D,
  shared: ShareCard,
  token: Token,
  font: string,
): void {
  const { width, height } = PICTURE
  const { item } = shared
  const color = token(tierToken(item))
  const text = (size: number, weight: number) => {
    pen.font = `${weight} ${size}px ${font}`
  }
  pen.reset()
  pen.fillStyle = token('--surface')
  pen.fillRect(0, 0, width, height)
  drawGrid(pen, token('--grid'))
  pen.fillStyle = color
  pen.fillRect(0, 0, width, 10)
  drawBadge(pen, item, color, token('--line-strong'))

  pen.textBaseline = 'alphabetic'
  pen.fillStyle = token('--text-2')
  text(28, 500)
  pen.fillText([item.tier ?? w.states.unlocked, item.category].join(' · '), LEFT, 190)
  pen.fillStyle = token('--text')
  text(64, 600)
  const lines = wrap(item.name, (part) => pen.measureText(part).width <= RIGHT - LEFT, 2)
  lines.forEach((line, i) => void pen.fillText(line, LEFT, 262 + i * 72))
  const below = 262 + (lines.length - 1) * 72
  pen.fillStyle = token('--text-2')
  text(30, 400)
  wrap(item.description, (part) => pen.measureText(part).width <= RIGHT - LEFT, 2).forEach(
    (line, i) => void pen.fillText(line, LEFT, below + 62 + i * 40),
  )
  if (shared.day !== null) {
    pen.fillStyle = token('--text-3')
    text(26, 400)
    pen.fillText(w.share.since(shared.day), LEFT, below + 158)
  }
  drawFoot(pen, shared, token, text)
}

function drawGrid(pen: CanvasRenderingContext2D, color: string): void {
  pen.strokeStyle = color
  pen.lineWidth = 1
  pen.beginPath()
  for (let x = 48.5; x < PICTURE.width; x += 48) {
    pen.moveTo(x, 0)
    pen.lineTo(x, PICTURE.height)
  }
  for (let y = 48.5; y < PICTURE.height; y += 48) {
    pen.moveTo(0, y)
    pen.lineTo(PICTURE.width, y)
  }
  pen.stroke()
}

/** The badge with its sign and a dot for each tier below. */
function drawBadge(pen: CanvasRenderingContext2D, item: AchievementItem, color: string, empty: string): void {
  const size = 6
  pen.save()
  pen.translate(240 - 25 * size, 296 - 25 * size)
  pen.scale(size, size)
  pen.strokeStyle = color
  pen.lineJoin = 'round'
  pen.lineCap = 'round'
  const hexagon = new Path2D(HEXAGON)
  pen.globalAlpha = 0.16
  pen.fillStyle = color
  pen.fill(hexagon)
  pen.globalAlpha = 1
  pen.lineWidth = 1.2
  pen.stroke(hexagon)
  pen.save()
  pen.translate(13, 13)
  pen.scale(1.2, 1.2)
  pen.stroke(new Path2D(badgePath(item.icon)))
  pen.restore()
  if (item.tiers)
    TIERS.forEach((_, i) => {
      const held = i <= tierRank(item.tier)
      pen.beginPath()
      pen.arc(13 + i * 6, 55, 1.8, 0, 2 * Math.PI)
      pen.lineWidth = 0.8
      pen.strokeStyle = held ? color : empty
      if (held) pen.fill()
      pen.stroke()
    })
  pen.restore()
}

function drawFoot(
  pen: CanvasRenderingContext2D,
  { unlocked, total }: ShareCard,
  token: Token,
  text: (size: number, weight: number) => void,
): void {
  const y = 574
  pen.fillStyle = token('--gold')
  pen.beginPath()
  pen.arc(LEFT + 14, y - 9, 7, 0, 2 * Math.PI)
  pen.fill()
  pen.strokeStyle = token('--gold-text')
  pen.lineWidth = 2.5
  pen.beginPath()
  pen.arc(LEFT + 14, y - 9, 14, 0, 2 * Math.PI)
  pen.stroke()
  pen.fillStyle = token('--text')
  text(28, 600)
  pen.fillText(words.product, LEFT + 40, y)
  pen.fillStyle = token('--text-3')
  text(24, 400)
  pen.textAlign = 'right'
  pen.fillText(w.share.of(unlocked, total), RIGHT, y)
  pen.textAlign = 'left'
}

/** Wraps text into at most this many lines and ends the rest in an ellipsis. */
export function wrap(text: string, fits: (line: string) => boolean, most: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1)
    const longer = last === undefined ? word : `${last} ${word}`
    if (last !== undefined && fits(longer)) lines[lines.length - 1] = longer
    else lines.push(cut(word, fits))
  }
  if (lines.length <= most) return lines
  return [...lines.slice(0, most - 1), cut(`${lines[most - 1]}…`, fits)]
}

function cut(line: string, fits: (line: string) => boolean): string {
  if (fits(line)) return line
  const letters = [...line.replace(/…$/, '')]
  while (letters.length > 1 && !fits(`${letters.join('')}…`)) letters.pop()
  return `${letters.join('').trimEnd()}…`
}
