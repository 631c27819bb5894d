DROP TABLE tool.ticket;
