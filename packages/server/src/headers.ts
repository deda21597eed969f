const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/** For every answer. `host` is one of the allowed ones; older browsers do not take `self` for a WebSocket. */
export function securityHeaders(
  host: string | undefined,
  styleHash?: string,
  form: 'none' | 'own' = 'none',
): Record<string, string> {
  const sockets = host === undefined ? '' : ` ws://${host} wss://${host}`
  const style = styleHash === undefined ? '' : ` 'sha256-${styleHash}'`
  return {
    'content-security-policy': [
      ...POLICY,
      `form-action ${form === 'own' ? "'self'" : "'none'"}`,
      `connect-src 'self'${sockets}`,
      `style-src 'self'${style}`,
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Without any, a browser says of its own form that it comes from nowhere.
    'referrer-policy': form === 'own' ? 'same-origin' : 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cache-control': 'no-store',
  }
}
