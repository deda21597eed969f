export type { AcpConfig, HermesConfig, JarvisConfig, McpServer } from './config.ts'
export * from './context.ts'
export * from './conversation.ts'
export * from './events.ts'
