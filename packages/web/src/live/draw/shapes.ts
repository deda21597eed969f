import type { GraphNode } from '../model/graph.ts'
import type { Family } from '../model/names.ts'
import { type Colors, familyColor } from './colors.ts'

type Pen = CanvasRenderingContext2D

export const AGENT_RADIUS = 8
export const MAIN_RADIUS = 13
const FULL = Math.PI * 2

/** The space a mark takes around its center. */
export function markRadius(node: GraphNode): number {
  if (node.state === 'waiting') return node.kind === 'main' ? 22 : 19
  if (node.state === 'stuck') return node.kind === 'main' ? 21 : 16
  if (node.kind === 'main') return MAIN_RADIUS
  return node.kind === 'group' ? 13 : 10
}

/** Draws an agent at the origin. `size` is the radius of a working one, larger while it pulses. */
export function drawMark(pen: Pen, node: GraphNode, colors: Colors, size: number, detail: boolean): void {
  if (node.state === 'waiting') drawWaiting(pen, colors, node.kind === 'main' ? 20 : 17)
  if (node.state === 'stuck') drawStuck(pen, colors, node.kind === 'main' ? 19 : 14)
  const color = familyColor(colors, node.family)
  if (node.kind === 'group') drawGroup(pen, node, colors)
  else if (node.kind === 'main') drawEye(pen, node, colors)
  else if (node.state === 'failed' || node.outcome === 'fail') drawFailed(pen, colors)
  else if (node.state === 'done') drawDone(pen, node, colors)
  else if (node.state === 'waiting') drawCore(pen, 'diamond', node.family, color, colors, detail)
  else if (node.state === 'stuck') drawCore(pen, 'square', node.family, color, colors, detail)
  else drawDisc(pen, node.family, color, colors, size, detail)
}

function drawDisc(pen: Pen, family: Family, color: string, colors: Colors, size: number, detail: boolean) {
  pen.beginPath()
  if (family === 'other') {
    pen.arc(0, 0, size - 1, 0, FULL)
    pen.fillStyle = colors.canvas
    pen.fill()
    pen.lineWidth = 2
    pen.strokeStyle = color
    pen.stroke()
    return
  }
  pen.arc(0, 0, size, 0, FULL)
  pen.fillStyle = color
  pen.fill()
  if (detail) drawPips(pen, family, colors)
}

const PIPS: Readonly<Record<Family, readonly (readonly [number, number])[]>> = {
  haiku: [[0, 0]],
  sonnet: [
    [2.2, -2],
    [-2.2, 2],
  ],
  opus: [
    [0, -2.8],
    [-2.6, 1.8],
    [2.6, 1.8],
  ],
  other: [],
}

function drawPips(pen: Pen, family: Family, colors: Colors) {
  pen.fillStyle = colors.canvas
  pen.beginPath()
  for (const [x, y] of PIPS[family]) {
    pen.moveTo(x + 1.7, y)
    pen.arc(x, y, 1.7, 0, FULL)
  }
  pen.fill()
}

function drawCore(
  pen: Pen,
  shape: 'diamond' | 'square',
  family: Family,
  color: string,
  colors: Colors,
  detail: boolean,
) {
  pen.beginPath()
  if (shape === 'diamond') diamond(pen, 10)
  else pen.roundRect(-6.5, -6.5, 13, 13, 2)
  pen.fillStyle = family === 'other' ? colors.canvas : color
  pen.fill()
  if (family === 'other') {
    pen.lineWidth = 1.5
    pen.strokeStyle = color
    pen.stroke()
  } else if (detail) drawPips(pen, family, colors)
}

function drawWaiting(pen: Pen, colors: Colors, size: number) {
  pen.beginPath()
  diamond(pen, size + 5)
  pen.globalAlpha *= 0.16
  pen.fillStyle = colors.waiting
  pen.fill()
  pen.globalAlpha /= 0.16
  pen.beginPath()
  diamond(pen, size)
  pen.lineWidth = 2
  pen.strokeStyle = colors.waiting
  pen.stroke()
}

function drawStuck(pen: Pen, colors: Colors, size: number) {
  pen.beginPath()
  pen.roundRect(-size, -size, size * 2, size * 2, 4)
  pen.lineWidth = 2
  pen.strokeStyle = colors.stuck
  pen.setLineDash([7, 4.2])
  pen.stroke()
  pen.setLineDash([])
}

function drawEye(pen: Pen, node: GraphNode, colors: Colors) {
  const rests = node.state === 'done' || node.state === 'failed' || node.dim
  if (!rests) {
    const glow = pen.createRadialGradient(0, 0, MAIN_RADIUS - 2, 0, 0, 30)
    glow.addColorStop(0, `${colors.gold}66`)
    glow.addColorStop(1, `${colors.gold}00`)
    pen.beginPath()
    pen.arc(0, 0, 30, 0, FULL)
    pen.fillStyle = glow
    pen.fill()
  }
  pen.beginPath()
  pen.arc(0, 0, MAIN_RADIUS, 0, FULL)
  pen.fillStyle = colors.gold
  pen.fill()
  pen.beginPath()
  pen.arc(0, 0, 5.2, 0, FULL)
  pen.fillStyle = colors['gold-ink']
  pen.fill()
  pen.beginPath()
  pen.arc(1.9, -1.9, 1.5, 0, FULL)
  pen.fillStyle = colors.gold
  pen.fill()
  if (node.state === 'failed') {
    pen.beginPath()
    octagon(pen, 18)
    pen.lineWidth = 2
    pen.strokeStyle = colors.failed
    pen.stroke()
  }
}

function drawGroup(pen: Pen, node: GraphNode, colors: Colors) {
  const color = familyColor(colors, node.family)
  for (const [radius, alpha] of [
    [14, 0.4],
    [11, 1],
  ] as const) {
    pen.beginPath()
    pen.arc(0, 0, radius, 0, FULL)
    if (radius === 11) {
      pen.fillStyle = colors.canvas
      pen.fill()
    }
    pen.globalAlpha *= alpha
    pen.lineWidth = radius === 11 ? 2 : 1
    pen.strokeStyle = color
    pen.stroke()
    pen.globalAlpha /= alpha
  }
  pen.fillStyle = colors.text
  pen.font = '600 11px Inter, ui-sans-serif, system-ui, sans-serif'
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(String(node.members.length), 0, 0.5)
}

function drawDone(pen: Pen, node: GraphNode, colors: Colors) {
  pen.lineWidth = 1.8
  if (node.outcome === 'functional') {
    pen.strokeStyle = colors.done
    circle(pen, 8.5, colors.canvas)
    pen.beginPath()
    pen.moveTo(-3.4, 0.3)
    pen.lineTo(-1, 2.7)
    pen.lineTo(3.6, -2.5)
    pen.stroke()
  } else if (node.outcome === null) {
    pen.strokeStyle = colors.other
    pen.setLineDash([1.4, 2.6])
    circle(pen, 8.5, colors.canvas)
    pen.setLineDash([])
    pen.beginPath()
    pen.moveTo(-3, 0)
    pen.lineTo(3, 0)
    pen.stroke()
  } else if (node.outcome === 'stopped') {
    pen.strokeStyle = colors['text-2']
    circle(pen, 8.5, colors.canvas)
    pen.fillStyle = colors['text-2']
    pen.fillRect(-3.2, -3.2, 6.4, 6.4)
  } else if (node.outcome === 'lost') {
    pen.strokeStyle = colors['text-2']
    pen.setLineDash([4, 3])
    circle(pen, 8.5, colors.canvas)
    pen.setLineDash([])
    pen.fillStyle = colors['text-2']
    pen.font = '600 11px Inter, ui-sans-serif, system-ui, sans-serif'
    pen.textAlign = 'center'
    pen.textBaseline = 'middle'
    pen.fillText('?', 0, 0.5)
  } else {
    pen.strokeStyle = colors.partial
    circle(pen, 8.5, colors.canvas)
    pen.beginPath()
    pen.arc(0, 0, 8.5, -Math.PI / 2, Math.PI / 2)
    pen.fillStyle = colors.partial
    pen.fill()
  }
}

function drawFailed(pen: Pen, colors: Colors) {
  pen.beginPath()
  octagon(pen, 9)
  pen.fillStyle = colors.canvas
  pen.fill()
  pen.lineWidth = 1.8
  pen.strokeStyle = colors.failed
  pen.stroke()
  pen.beginPath()
  pen.moveTo(-3.2, -3.2)
  pen.lineTo(3.2, 3.2)
  pen.moveTo(3.2, -3.2)
  pen.lineTo(-3.2, 3.2)
  pen.stroke()
}

function circle(pen: Pen, radius: number, fill: string) {
  pen.beginPath()
  pen.arc(0, 0, radius, 0, FULL)
  pen.fillStyle = fill
  pen.fill()
  pen.stroke()
}

export function diamond(pen: Pen, size: number): void {
  pen.moveTo(0, -size)
  pen.lineTo(size, 0)
  pen.lineTo(0, size)
  pen.lineTo(-size, 0)
  pen.closePath()
}

function octagon(pen: Pen, size: number) {
  for (let i = 0; i < 8; i += 1) {
    const angle = (i + 0.5) * (FULL / 8)
    if (i === 0) pen.moveTo(Math.cos(angle) * size, Math.sin(angle) * size)
    else pen.lineTo(Math.cos(angle) * size, Math.sin(angle) * size)
  }
  pen.closePath()
}
